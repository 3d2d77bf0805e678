// Numbers and names for people.

/** Seconds: `1.23 ms`. */
export function time(seconds) {
  if (seconds == null) return "–";
  if (seconds === 0) return "0";
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [scale, unit] = units.find(([scale]) => Math.abs(seconds) >= scale) ?? units[3];
  return `${digits(seconds / scale)} ${unit}`;
}

/** Bytes: `1.5 MiB`. */
export function bytes(n) {
  if (n == null || n < 0) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let power = 0;
  while (n >= 1024 && power < units.length - 1) { n /= 1024; power++; }
  return `${power ? digits(n) : n} ${units[power]}`;
}

/** Large counts: `1.8 G`. */
export function count(n) {
  if (n == null) return "–";
  const units = ["", "k", "M", "G", "T"];
  let power = 0;
  while (n >= 1000 && power < units.length - 1) { n /= 1000; power++; }
  return power ? `${digits(n)} ${units[power]}` : String(n);
}

export function percent(x) {
  return x == null ? "–" : `${(100 * x).toFixed(x < 0.0995 ? 1 : 0)} %`;
}

function digits(x) {
  const size = Math.abs(x);
  return x.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
}

/** A kernel's name without the executable's, which it usually begins with: `matmul_16x128x784_f32`. */
export function short(executable) {
  const match = executable.export.match(/dispatch_\d+_(.+)$/);
  return match ? match[1] : executable.export;
}

/** The last parts of a node of the model: `layer1/conv1/Conv`. */
export function place(origin) {
  return origin.length ? origin[0].replace(/^\//, "") : "";
}
