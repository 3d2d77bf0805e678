//! Flags for the source and the destination of weights.
use halyard_diag::{Error, Result};
use halyard_tensors::{NameMap, WeightFiles};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Where weights come from, and where they go.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct WeightArgs {
    /// Load weights that the model lacks from FILE by name: safetensors, an index of such files, or GGUF; repeatable
    ///
    /// In MLIR, FILE supplies external globals (by `hal.name`, else symbol), resources without data, and arguments with
    /// a matching `hal.name`; in ONNX, initialisers whose external data is missing, and inputs with a matching name.
    /// Types and shapes must match the model. Floats are widened; GGUF blocks (Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K,
    /// Q5_K, Q6_K) are dequantised, or stay bytes where the model has bytes.
    #[arg(long, value_name = "FILE[,…]", value_delimiter = ',', value_parser = weights_file, help_heading = "Weights")]
    pub weights: Vec<PathBuf>,
    /// Map the model's weight names to those in the files, as in `layers.*.q.weight=blk.*.attn_q.weight`; repeatable,
    /// the first match counts
    #[arg(long, value_name = "PATTERN=REPLACEMENT", help_heading = "Weights")]
    pub weights_map: Vec<NameMap>,
    /// Store weights in a safetensors FILE, in the program itself (`embed`), or leave them in their files (`external`)
    ///
    /// Constants above 1 KiB are weights. By default they go to PROGRAM.safetensors beside the program, or into it if it
    /// goes to standard output. With `embed`, a program is one file that can be moved alone: MLIR has weights as
    /// resources, a linked program has them at its end. With `external`, weights that are used unchanged stay in the
    /// files of `--weights` and in ONNX external data. The program stores file names without folders, so keep the files
    /// beside it.
    #[arg(long, value_name = "FILE|embed|external", value_parser = WeightsPlace::parse, help_heading = "Weights")]
    pub weights_to: Option<WeightsPlace>,
}

impl WeightArgs {
    /// Whether the only value is `embed`, which `--weights` once accepted.
    fn is_embed(&self) -> bool {
        self.weights == [Path::new("embed")] && self.weights_to.is_none()
    }

    /// The files that weights are taken from.
    pub fn files(&self) -> &[PathBuf] {
        if self.is_embed() { &[] } else { &self.weights }
    }

    /// The files, open; `None` if none are given. Errors: what [`WeightFiles::open`] says, names without files.
    pub fn open(&self) -> Result<Option<Arc<WeightFiles>>> {
        if self.files().is_empty() {
            return match self.weights_map.first() {
                Some(map) => {
                    Err(Error::usage(format!("`--weights-map={}` has no effect without `--weights=FILE`", map.text)))
                }
                None => Ok(None),
            };
        }
        WeightFiles::open(&self.weights, &self.weights_map).map(Arc::new).map(Some)
    }

    /// Returns the destination of weights, if it is given.
    pub fn place(&self) -> Option<WeightsPlace> {
        if self.is_embed() { Some(WeightsPlace::Embed) } else { self.weights_to.clone() }
    }

    /// The flags that say where weights come from on a command line.
    pub fn source_words(&self) -> Vec<String> {
        let files = self.files().iter().map(|f| format!("--weights={}", f.display()));
        files.chain(self.weights_map.iter().map(|m| format!("--weights-map={}", m.text))).collect()
    }
}

fn weights_file(text: &str) -> std::result::Result<PathBuf, String> {
    match text {
        "" => Err("a file name is needed".into()),
        "-" => Err("weights cannot come from standard input".into()),
        path => Ok(path.into()),
    }
}

/// Where weights go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WeightsPlace {
    /// Into the program, as resources.
    Embed,
    /// Into a safetensors file.
    File(PathBuf),
    /// Weights that are used unchanged stay in their files; the others go into the program.
    External,
    /// Like [`WeightsPlace::External`], but the others go into a safetensors file.
    ExternalBeside(PathBuf),
}

impl WeightsPlace {
    fn parse(text: &str) -> std::result::Result<Self, String> {
        match text {
            "" => Err("a file name, `embed` or `external` is needed".into()),
            "embed" => Ok(Self::Embed),
            "external" => Ok(Self::External),
            "-" => Err("weights cannot go to standard output".into()),
            path => Ok(Self::File(path.into())),
        }
    }
}
