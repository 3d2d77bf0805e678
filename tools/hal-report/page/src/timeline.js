// Which thread runs what when: a canvas, zoomed along time by d3-zoom.
import { select as d3 } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { own } from "./colours.js";
import { colour, command, empty, fit, h } from "./dom.js";
import { place, short, time } from "./format.js";
import { data, select, state } from "./state.js";

const [LEFT, TOP, GAP] = [116, 34, 12];
/** The height of a track: all are seen where there are few, and each can be read where there are many. */
let ROW = 46;

export function timeline(pane) {
  const t = data.timeline;
  if (!t) {
    pane.append(empty("No timeline", "The program was not run (--no-run). Without that flag the report shows which thread runs what when."),
      command(data.commands.find((c) => c.what === "timeline")));
    return { draw() {} };
  }
  const canvas = h("canvas", { tabindex: 0, "aria-label": "timeline" });
  const tip = h(".tip", { hidden: true });
  const box = h(".canvas", null, canvas, tip);
  const busy = t.tracks.map((track) => track.spans.filter((s) => s[3] === 0).reduce((sum, s) => sum + s[1], 0) / t.length);
  pane.append(
    h(".bar", null, h("span", null, `One call, ${time(t.length / 1e9)}. `),
      h("span.muted", null, `Kernels keep ${busy.map((b, i) => `${t.tracks[i].name} ${(100 * b).toFixed(0)} %`).slice(0, 4).join(", ")} busy. Scroll zooms, drag moves.`),
      h("span.grow"), h("button", { type: "button", onclick: () => d3(canvas).call(mover.transform, zoomIdentity) }, "Fit")),
    box, command(data.commands.find((c) => c.what === "timeline")));

  let transform = zoomIdentity;
  let hovered = null;
  const mover = zoom().on("zoom", (event) => { transform = event.transform; draw(); });
  d3(canvas).call(mover).on("dblclick.zoom", null);
  const x = (ns, width) => LEFT + transform.x + transform.k * (ns / t.length) * (width - LEFT - 16);

  function draw() {
    const { context: c, width, height } = fit(canvas);
    mover.scaleExtent([1, 5000]).translateExtent([[0, 0], [width - LEFT - 16, height]]).extent([[0, 0], [width - LEFT - 16, height]]);
    ROW = Math.min(Math.max((height - TOP - 12) / t.tracks.length - GAP, 22), 84);
    axis(c, width, height);
    c.save();
    c.beginPath();
    c.rect(LEFT, 0, width - LEFT, height);
    c.clip();
    t.tracks.forEach((track, row) => {
      const top = TOP + row * (ROW + GAP);
      c.fillStyle = colour("track");
      c.fillRect(LEFT, top, width - LEFT, ROW);
      let painted = -1;
      track.spans.forEach((span, i) => {
        const [start, length, dispatch, kind] = span;
        const from = x(start, width), to = Math.max(x(start + length, width), from + 0.5);
        // What is less than a pixel behind the last one changes nothing.
        if (to < LEFT || from > width || (to <= painted && kind === 0)) return;
        // Short waits would hide the kernels around them.
        if (kind !== 0 && to - from < 1) return;
        if (kind === 0) painted = Math.max(painted, Math.floor(to));
        const executable = dispatch >= 0 ? t.dispatches[dispatch] : null;
        const inset = kind === 0 ? 0 : ROW * 0.38;
        c.globalAlpha = state.selected != null && executable !== state.selected ? 0.35 : 1;
        c.fillStyle = kind === 0 ? own(executable) : colour(kind <= 2 ? "wait" : "move");
        c.fillRect(from, top + inset, Math.max(to - from - (to - from > 3 ? 0.5 : 0), 0.6), ROW - 2 * inset);
        if (hovered && hovered[0] === row && hovered[1] === i) {
          c.strokeStyle = colour("accent");
          c.lineWidth = 2;
          c.strokeRect(from + 1, top + 1, Math.max(to - from - 2, 1), ROW - 2);
        }
        c.globalAlpha = 1;
        if (kind === 0 && to - from > 46) {
          c.save();
          c.beginPath();
          c.rect(Math.max(from, LEFT), top, to - Math.max(from, LEFT) - 4, ROW);
          c.clip();
          c.fillStyle = colour("scheme") === "dark" ? "#fff" : "#111827";
          c.font = "600 11px system-ui, sans-serif";
          c.textBaseline = "middle";
          const e = data.executables[executable];
          c.fillText(short(e), Math.max(from, LEFT) + 5, top + ROW / 2 - (ROW > 36 ? 8 : 0));
          if (ROW <= 36) { c.restore(); return; }
          c.font = "11px system-ui, sans-serif";
          c.globalAlpha = 0.8;
          c.fillText(`${time(length / 1e9)}  ${place(e.origin)}`, Math.max(from, LEFT) + 5, top + ROW / 2 + 8);
          c.restore();
        }
      });
    });
    c.restore();
    c.fillStyle = colour("ink");
    c.font = "12px system-ui, sans-serif";
    c.textBaseline = "middle";
    t.tracks.forEach((track, row) => c.fillText(track.name, 12, TOP + row * (ROW + GAP) + ROW / 2));
  }

  function axis(c, width, height) {
    const span = t.length / transform.k;
    const step = nice(span / 7);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "alphabetic";
    const begin = Math.floor(Math.max(-transform.x / transform.k, 0) / (width - LEFT - 16) * t.length / step) * step;
    for (let ns = begin; ns <= begin + span + step && ns <= t.length; ns += step) {
      const at = x(ns, width);
      if (at < LEFT - 1 || at > width) continue;
      c.fillStyle = colour("line");
      c.fillRect(at, TOP - 8, 1, Math.min(height - TOP, t.tracks.length * (ROW + GAP) + 4));
      c.fillStyle = colour("muted");
      c.fillText(ns ? time(ns / 1e9) : "0", at + 3, TOP - 12);
    }
  }

  function at(event) {
    const row = Math.floor((event.offsetY - TOP) / (ROW + GAP));
    const track = t.tracks[row];
    if (!track || event.offsetX < LEFT) return null;
    const { width } = box.getBoundingClientRect();
    // Inner spans come last.
    for (let i = track.spans.length - 1; i >= 0; i--) {
      const [start, length] = track.spans[i];
      if (x(start, width) <= event.offsetX && event.offsetX <= Math.max(x(start + length, width), x(start, width) + 2)) return [row, i];
    }
    return null;
  }

  canvas.addEventListener("mousemove", (event) => {
    const found = at(event);
    canvas.style.cursor = found ? "pointer" : "grab";
    if (String(found) !== String(hovered)) {
      hovered = found;
      requestAnimationFrame(draw);
    }
    tip.hidden = !found;
    if (!found) return;
    const [start, length, dispatch, kind] = t.tracks[found[0]].spans[found[1]];
    const e = dispatch >= 0 ? data.executables[t.dispatches[dispatch]] : null;
    tip.replaceChildren(h("strong", null, e ? e.export : t.kinds[kind]), e?.origin.length ? h("div", null, e.origin.join(", ")) : "",
      h("div", null, `${time(length / 1e9)}, from ${time(start / 1e9)}${e ? `; dispatch ${dispatch}` : ""}`));
    const b = box.getBoundingClientRect();
    tip.style.left = `${Math.min(event.offsetX + 14, b.width - 320)}px`;
    tip.style.top = `${Math.min(event.offsetY + 14, b.height - 90)}px`;
  });
  canvas.addEventListener("mouseleave", () => { hovered = null; tip.hidden = true; draw(); });
  canvas.addEventListener("click", (event) => {
    const found = at(event);
    const dispatch = found ? t.tracks[found[0]].spans[found[1]][2] : -1;
    if (dispatch >= 0) select(t.dispatches[dispatch]);
  });
  return { draw };
}

/** A round step of at least so many nanoseconds. */
function nice(ns) {
  const power = 10 ** Math.floor(Math.log10(Math.max(ns, 1)));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= ns);
}
