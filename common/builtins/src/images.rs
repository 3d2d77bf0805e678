//! Decodes images: BMP, JPEG, JPEG 2000, PNG, PNM, TIFF, WebP. Bytes that cannot be decoded give an image without
//! pixels, as ONNX's `ImageDecoder` specifies.
use crate::number;
use halyard_runtime::HostCall;
use hayro_jpeg2000::{ColorSpace, DecodeSettings, DecoderContext};
use image::ImageReader;
use libjpeg_turbo_rs::PixelFormat;
use std::{io::Cursor, panic};

/// The channels of a pixel, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pixels {
    /// Red, green, blue.
    Rgb,
    /// Blue, green, red.
    Bgr,
    /// Luminance.
    Gray,
}

impl Pixels {
    fn channels(self) -> usize {
        if self == Self::Gray { 1 } else { 3 }
    }

    /// Converts pixels from RGB. Gray uses the weights of ITU-R 601-2, in fixed point with rounding.
    fn of_rgb(self, rgb: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Rgb => rgb,
            Self::Bgr => rgb.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*b, *g, *r]).collect(),
            Self::Gray => {
                let luma = |[r, g, b]: &[u8; 3]| 19595 * u32::from(*r) + 38470 * u32::from(*g) + 7471 * u32::from(*b);
                rgb.as_chunks::<3>().0.iter().map(|pixel| ((luma(pixel) + 0x8000) >> 16) as u8).collect()
            }
        }
    }
}

/// An image: red, green and blue of each pixel, row by row.
struct Image {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

/// Pixels of a file: height, width and the channels of each, row by row; `None` where it cannot be decoded.
pub fn decode(file: &[u8], pixels: Pixels) -> Option<(usize, usize, Vec<u8>)> {
    // A decoder that a damaged file surprises has not decoded it.
    let image = panic::catch_unwind(|| {
        if file.starts_with(b"\xFF\xD8\xFF") {
            jpeg(file)
        } else if file.starts_with(b"\x00\x00\x00\x0CjP  ") || file.starts_with(b"\xFF\x4F\xFF\x51") {
            jpeg_2000(file)
        } else {
            other(file)
        }
    });
    let Image { width, height, rgb } = image.ok().flatten()?;
    (rgb.len() == width.checked_mul(height)?.checked_mul(3)?).then(|| (height, width, pixels.of_rgb(rgb)))
}

fn jpeg(file: &[u8]) -> Option<Image> {
    let image = libjpeg_turbo_rs::decompress_to(file, PixelFormat::Rgb).ok()?;
    Some(Image { width: image.width, height: image.height, rgb: image.data })
}

fn jpeg_2000(file: &[u8]) -> Option<Image> {
    let image = hayro_jpeg2000::Image::new(file, &DecodeSettings::default()).ok()?;
    let mut context = DecoderContext::default();
    let decoded = image.decode(&mut context).ok()?;
    let (all, alpha) = (decoded.data_u8(), usize::from(image.has_alpha()));
    let channels = usize::from(image.color_space().num_channels());
    let pixels = all.chunks_exact(channels + alpha);
    let rgb = match (image.color_space(), channels) {
        (ColorSpace::CMYK, _) => pixels.flat_map(from_cmyk).collect(),
        (_, 1) => pixels.flat_map(|p| [p[0]; 3]).collect(),
        (_, 3) => pixels.flat_map(|p| [p[0], p[1], p[2]]).collect(),
        _ => return None,
    };
    Some(Image { width: image.width() as usize, height: image.height() as usize, rgb })
}

fn from_cmyk(pixel: &[u8]) -> [u8; 3] {
    let light = |ink: u8| (u32::from(255 - ink) * u32::from(255 - pixel[3]) / 255) as u8;
    [light(pixel[0]), light(pixel[1]), light(pixel[2])]
}

fn other(file: &[u8]) -> Option<Image> {
    let image = ImageReader::new(Cursor::new(file)).with_guessed_format().ok()?.decode().ok()?;
    let rgb = image.into_rgb8();
    Some(Image { width: rgb.width() as usize, height: rgb.height() as usize, rgb: rgb.into_raw() })
}

/// `halyard.decode_image`: the bytes of a file, and the number of [`Pixels`], to height × width × channels.
pub(crate) fn call(call: &mut HostCall<'_>) -> Result<(), String> {
    let pixels = match number(call, 1)? {
        0 => Pixels::Rgb,
        1 => Pixels::Bgr,
        2 => Pixels::Gray,
        other => return Err(format!("there are no pixels of kind {other}")),
    };
    let (height, width, data) = decode(call.input(0).bytes, pixels).unwrap_or_default();
    let shape = [height as i64, width as i64, pixels.channels() as i64];
    call.result(0, &shape)?.copy_from_slice(&data);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_as_they_are_asked_for() {
        let file = b"P6\n2 1\n255\n\x01\x02\x03\xFF\x80\x00";
        assert_eq!(decode(file, Pixels::Rgb), Some((1, 2, vec![1, 2, 3, 255, 128, 0])));
        assert_eq!(decode(file, Pixels::Bgr), Some((1, 2, vec![3, 2, 1, 0, 128, 255])));
        assert_eq!(decode(file, Pixels::Gray), Some((1, 2, vec![2, 151])));
        assert_eq!(decode(b"P5\n2 1\n255\n\x07\xFF", Pixels::Rgb), Some((1, 2, vec![7, 7, 7, 255, 255, 255])));
    }

    #[test]
    fn what_is_no_image_has_no_pixels() {
        for file in [
            &b""[..],
            b"text",
            b"P6\n2 1\n255\n\x01",
            b"\xFF\xD8\xFF\xE0",
            b"\x89PNG\r\n\x1A\n",
            b"\x00\x00\x00\x0CjP  ",
            b"\xFF\x4F\xFF\x51",
        ] {
            assert_eq!(decode(file, Pixels::Rgb), None, "{file:?}");
        }
    }
}
