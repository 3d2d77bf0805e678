// The arena over the commands of the host program: which transient lies where from which dispatch to which.
import { own } from "./colours.js";
import { colour, command, empty, fit, h } from "./dom.js";
import { bytes, short } from "./format.js";
import { data, select, state } from "./state.js";

const [LEFT, TOP, BOTTOM, RIGHT] = [84, 18, 34, 18];

export function memory(pane) {
  const list = data.memory;
  const shown = command(data.commands.find((c) => c.what === "memory"));
  if (!list.length) {
    const text = data.arena ? "The transients of the function are not used by any command."
      : "The function has no transients of static size: its tensors are allocated during the call, or it has one dispatch only.";
    pane.append(empty("No arena", text), shown);
    return { draw() {} };
  }
  const steps = data.nodes.length;
  // The bytes that are in use at each step.
  const used = new Array(steps).fill(0);
  for (const t of list) for (let s = t.first; s <= t.last; s++) used[s] += t.bytes;
  const peak = Math.max(...used);
  const sum = list.reduce((total, t) => total + t.bytes, 0);
  const canvas = h("canvas", { tabindex: 0, "aria-label": "memory plan" });
  const tip = h(".tip", { hidden: true });
  const box = h(".canvas", null, canvas, tip);
  pane.append(
    h(".bar", null, h("span", null, `Arena of ${bytes(data.arena)} for ${list.length} transients of ${bytes(sum)}. `),
      h("span.muted", null, `At most ${bytes(peak)} are in use at once, at ${label(used.indexOf(peak))}: ${(100 * peak / Math.max(data.arena, 1)).toFixed(0)} % of the arena.`)),
    box, shown);
  let hovered = null;
  const across = (width) => (width - LEFT - RIGHT) / steps;
  const down = (height) => (height - TOP - BOTTOM) / Math.max(data.arena, 1);

  function label(step) {
    const node = data.nodes[step];
    return node.e != null ? short(data.executables[node.e]) : node.n;
  }

  function maker(t) {
    return data.nodes[t.first].e;
  }

  function draw() {
    const { context: c, width, height } = fit(canvas);
    const [dx, dy] = [across(width), down(height)];
    c.fillStyle = colour("track");
    c.fillRect(LEFT, TOP, width - LEFT - RIGHT, height - TOP - BOTTOM);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    const step = 2 ** Math.ceil(Math.log2(Math.max(data.arena / 6, 1)));
    for (let at = 0; at <= data.arena; at += step) {
      const y = height - BOTTOM - at * dy;
      c.fillStyle = colour("line");
      c.fillRect(LEFT, y, width - LEFT - RIGHT, 1);
      c.fillStyle = colour("muted");
      c.textAlign = "right";
      c.fillText(at ? bytes(at) : "0", LEFT - 8, y);
    }
    c.textAlign = "left";
    list.forEach((t, i) => {
      const [x, y, w, ht] = [LEFT + t.first * dx, height - BOTTOM - (t.offset + t.bytes) * dy, (t.last - t.first + 1) * dx, t.bytes * dy];
      const e = maker(t);
      c.globalAlpha = state.selected != null && e !== state.selected && data.nodes[t.last].e !== state.selected ? 0.3 : 1;
      c.fillStyle = e != null ? own(e) : colour("wait");
      c.fillRect(x, y, Math.max(w - (w > 3 ? 1 : 0), 0.7), Math.max(ht - (ht > 3 ? 1 : 0), 0.7));
      if (i === hovered) {
        c.strokeStyle = colour("accent");
        c.lineWidth = 2;
        c.strokeRect(x, y, w, ht);
      }
      if (w > 60 && ht > 16) {
        c.save();
        c.beginPath();
        c.rect(x, y, w - 6, ht);
        c.clip();
        c.fillStyle = colour("scheme") === "dark" ? "#fff" : "#111827";
        c.fillText(`${bytes(t.bytes)}  ${label(t.first)}`, x + 6, y + ht / 2);
        c.restore();
      }
    });
    c.globalAlpha = 1;
    // What is in use, as a line.
    c.strokeStyle = colour("accent");
    c.lineWidth = 1.5;
    c.beginPath();
    used.forEach((n, s) => {
      const y = height - BOTTOM - n * dy;
      c.lineTo(LEFT + s * dx, y);
      c.lineTo(LEFT + (s + 1) * dx, y);
    });
    c.stroke();
    c.fillStyle = colour("muted");
    c.fillText("first command", LEFT, height - BOTTOM / 2);
    c.textAlign = "right";
    c.fillText(`command ${steps}`, width - RIGHT, height - BOTTOM / 2);
    c.fillStyle = colour("accent");
    c.textAlign = "center";
    c.fillText("— bytes in use", LEFT + (width - LEFT - RIGHT) / 2, height - BOTTOM / 2);
    c.textAlign = "left";
  }

  function at(event) {
    const { width, height } = box.getBoundingClientRect();
    const step = Math.floor((event.offsetX - LEFT) / across(width));
    const byte = (height - BOTTOM - event.offsetY) / down(height);
    const found = list.findIndex((t) => t.first <= step && step <= t.last && t.offset <= byte && byte < t.offset + t.bytes);
    return found < 0 ? null : found;
  }

  canvas.addEventListener("mousemove", (event) => {
    const found = at(event);
    canvas.style.cursor = found == null ? "default" : "pointer";
    if (found !== hovered) {
      hovered = found;
      requestAnimationFrame(draw);
    }
    tip.hidden = found == null;
    if (found == null) return;
    const t = list[found];
    tip.replaceChildren(h("strong", null, `${bytes(t.bytes)} at byte ${t.offset.toLocaleString("en")}`),
      h("div", null, `written by ${label(t.first)} (command ${t.first})`), h("div", null, `last read by ${label(t.last)} (command ${t.last})`));
    const b = box.getBoundingClientRect();
    tip.style.left = `${Math.min(event.offsetX + 14, b.width - 320)}px`;
    tip.style.top = `${Math.min(event.offsetY + 14, b.height - 90)}px`;
  });
  canvas.addEventListener("mouseleave", () => { hovered = null; tip.hidden = true; draw(); });
  canvas.addEventListener("click", (event) => {
    const found = at(event);
    if (found != null) select(maker(list[found]) ?? null, list[found].first);
  });
  return { draw };
}
