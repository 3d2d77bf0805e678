// Scales of colours: readable for the colour-blind, light and dark.
import { colour } from "./dom.js";

const scales = {
  // Little to much: pale to deep.
  light: { time: ["#eef3fb", "#9dc3f0", "#3f7fd6", "#123f8c"], share: ["#c2410c", "#f0a35e", "#a7cfa0", "#1f7a4d"] },
  dark: { time: ["#202836", "#274a7d", "#3f7fd6", "#a5cbff"], share: ["#e0662b", "#a56a3a", "#5f8f63", "#4fd08c"] },
};

export function isDark() {
  return colour("scheme") === "dark";
}

/** The colour of a number from 0 to 1 on a scale. */
export function on(scale, x) {
  const stops = scales[isDark() ? "dark" : "light"][scale];
  const at = Math.min(Math.max(x, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  const [a, b] = [parse(stops[i]), parse(stops[i + 1])];
  const mixed = a.map((v, k) => Math.round(v + (b[k] - v) * (at - i)));
  return `rgb(${mixed})`;
}

/** The text colour on a colour. */
export function textOn(background) {
  const [r, g, b] = background.match(/\d+/g).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#111827" : "#ffffff";
}

/** A colour of its own for each executable; neighbours differ most. */
export function own(index) {
  const hue = (index * 137.508 + 210) % 360;
  return isDark() ? `hsl(${hue} 45% 48%)` : `hsl(${hue} 52% 62%)`;
}

function parse(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}
