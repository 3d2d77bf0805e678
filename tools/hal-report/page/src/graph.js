// The dispatch graph, on a canvas: laid out beforehand, zoomed and moved by d3-zoom.
import { select as d3 } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { on, own, textOn } from "./colours.js";
import { colour, command, fit, h } from "./dom.js";
import { bytes, percent, place, short, time } from "./format.js";
import { data, most, select, state } from "./state.js";

const NODE = { w: 168, h: 40 };

const ways = [
  { name: "time", title: "share of the time", has: (e) => e.share != null, of: (e) => on("time", Math.sqrt(e.share / most)) },
  { name: "roofline", title: "share of the roofline", has: (e) => e.roofline != null, of: (e) => on("share", e.roofline) },
  { name: "kernel", title: "kernel", has: () => true, of: (e) => own(data.executables.indexOf(e)) },
];

export function graph(pane) {
  let level = Math.max(data.levels.length - 1 - (data.nodes.length > 60 && data.levels.length > 1 ? 1 : 0), 0);
  const possible = ways.filter((w) => data.executables.some(w.has));
  let way = possible[0];
  let transform = zoomIdentity;
  let hovered = null;
  let before = 0;

  const canvas = h("canvas", { tabindex: 0, "aria-label": "dispatch graph" });
  const tip = h(".tip", { hidden: true });
  const box = h(".canvas", null, canvas, tip);
  const detail = h("select", { "aria-label": "detail", onchange: () => { level = +detail.value; arrange(); } },
    data.levels.map((l, i) => h("option", { value: i }, `${l.name} (${l.names.length})`)));
  const colours = h("select", { "aria-label": "colour", onchange: () => { way = possible[+colours.value]; draw(); } },
    possible.map((w, i) => h("option", { value: i }, w.title)));
  const legend = h(".legend");
  pane.append(
    h(".bar", null,
      h("label", null, "Detail ", detail), h("label", null, "Colour ", colours), legend,
      h("span.grow"), h("button", { type: "button", onclick: () => whole() }, "Fit"),
      h("button", { type: "button", onclick: () => mover.scaleBy(d3(canvas), 1.5) }, "+"),
      h("button", { type: "button", onclick: () => mover.scaleBy(d3(canvas), 1 / 1.5) }, "−")),
    box, command(data.commands.find((c) => c.what === "graph")));

  const mover = zoom().scaleExtent([0.02, 4]).on("zoom", (event) => { transform = event.transform; draw(); });
  d3(canvas).call(mover).on("dblclick.zoom", null);

  // The nodes of each group, and what they have in common.
  let groups = [];
  function gather() {
    const l = data.levels[level];
    groups = l.names.map((name, i) => ({ name, members: [], at: l.at[i] }));
    l.group.forEach((g, node) => groups[g].members.push(node));
  }

  /** The executable of a group, where it has one only, and the sums of its dispatches. */
  function about(group) {
    const list = group.members.map((n) => data.nodes[n].e).filter((e) => e != null);
    const one = list.length && list.every((e) => e === list[0]) ? data.executables[list[0]] : null;
    const part = (e) => (e.share ?? 0) / Math.max(e.uses, 1);
    const share = list.reduce((sum, e) => sum + part(data.executables[e]), 0);
    const known = list.map((e) => data.executables[e]).filter((e) => e.roofline != null);
    const weight = known.reduce((sum, e) => sum + part(e), 0);
    const roofline = weight > 0 ? known.reduce((sum, e) => sum + e.roofline * part(e), 0) / weight : null;
    return { list, one, share, roofline };
  }

  function fill(group) {
    const { list, one, share, roofline } = about(group);
    if (!list.length) return colour("panel");
    if (way.name === "kernel") return one ? way.of(one) : colour("group");
    if (way.name === "roofline") return roofline == null ? colour("panel") : on("share", roofline);
    if (group.members.length > 1) return on("time", Math.sqrt(Math.min(share / groups.most, 1)));
    return on("time", Math.sqrt(share / groups.most));
  }

  function arrange() {
    gather();
    groups.most = Math.max(...groups.map((g) => about(g).share), 1e-12);
    detail.value = level;
    whole();
  }

  function whole() {
    const l = data.levels[level];
    const { width, height } = box.getBoundingClientRect();
    const pad = 28;
    // Long graphs begin at the top, readable; small ones are seen whole.
    const all = Math.min((width - 2 * pad) / Math.max(l.width, 1), (height - 2 * pad) / Math.max(l.height, 1));
    const k = Math.min(Math.max(all, Math.min((width - 2 * pad) / Math.max(l.width, 1), 0.75)), 1.2);
    // What is seen is in the middle.
    const seen = all >= k ? [] : l.at.filter(([, y]) => y * k < height);
    const middle = seen.length ? seen.reduce((sum, [x]) => sum + x, 0) / seen.length : l.width / 2;
    const x = width / 2 - middle * k;
    const y = l.height * k < height - 2 * pad ? (height - l.height * k) / 2 : pad;
    mover.transform(d3(canvas), zoomIdentity.translate(x, y).scale(k));
  }

  function draw() {
    const { context: c, width, height } = fit(canvas);
    // The middle stays in the middle when the details open.
    if (before && before !== width) {
      const moved = (width - before) / 2 / transform.k;
      before = width;
      return mover.translateBy(d3(canvas), moved, 0);
    }
    before = width;
    const l = data.levels[level];
    const { x, y, k } = transform;
    c.save();
    c.translate(x, y);
    c.scale(k, k);
    const seen = { left: -x / k - NODE.w, right: (width - x) / k + NODE.w, top: -y / k - 80, bottom: (height - y) / k + 80 };
    const focus = hovered ?? (state.node != null ? l.group[state.node] : null);
    lines(c, l, seen, focus, k);
    const text = k > 0.35;
    c.textBaseline = "middle";
    groups.forEach((group, i) => {
      const [cx, cy] = group.at;
      if (cx < seen.left || cx > seen.right || cy < seen.top || cy > seen.bottom) return;
      box1(c, group, i, cx, cy, text, focus);
    });
    c.restore();
    key();
  }

  function lines(c, l, seen, focus, k) {
    const row = data.row;
    const bend = (ax, ay, bx, by) => {
      const middle = (ay + by) / 2;
      c.moveTo(ax, ay);
      c.bezierCurveTo(ax, middle, bx, middle, bx, by);
    };
    /** The point of a path on a row below its node; row 0 is the node. */
    const point = (from, i) => (i ? [l.paths[from][i - 1], l.at[from][1] + i * row] : [l.at[from][0], l.at[from][1] + NODE.h / 2]);
    const path = (from, count) => {
      const first = Math.max(Math.floor((seen.top - l.at[from][1]) / row), 0);
      const last = Math.min(count, Math.ceil((seen.bottom - l.at[from][1]) / row));
      for (let i = first; i < last; i++) bend(...point(from, i), ...point(from, i + 1));
    };
    const passes = (from, to) => (l.at[to][1] - l.at[from][1]) / row - 1;
    const branch = (from, to) => {
      const [bx, by] = [l.at[to][0], l.at[to][1] - NODE.h / 2];
      if (by > seen.top && by - row < seen.bottom) bend(...point(from, passes(from, to)), bx, by);
    };
    c.strokeStyle = colour("wire");
    c.lineWidth = 1.2 / Math.max(Math.min(k, 1), 0.4);
    c.beginPath();
    for (const [from, xs] of Object.entries(l.paths)) path(+from, xs.length);
    for (const [from, to] of l.edges) branch(from, to);
    c.stroke();
    if (focus == null) return;
    c.strokeStyle = colour("accent");
    c.lineWidth *= 1.7;
    c.beginPath();
    for (const [from, to] of l.edges) {
      if (from !== focus && to !== focus) continue;
      path(from, passes(from, to));
      branch(from, to);
    }
    c.stroke();
  }

  function box1(c, group, i, cx, cy, text, focus) {
    const kind = data.nodes[group.members[0]].k;
    const background = fill(group);
    const many = group.members.length > 1;
    const [left, top] = [cx - NODE.w / 2, cy - NODE.h / 2];
    const radius = kind === "input" || kind === "output" ? NODE.h / 2 : 7;
    const chosen = state.selected != null && group.members.some((n) => data.nodes[n].e === state.selected);
    if (many) {
      // A stack: there is more inside.
      c.fillStyle = colour("panel");
      c.strokeStyle = colour("line");
      c.lineWidth = 1;
      c.beginPath();
      c.roundRect(left + 5, top + 5, NODE.w, NODE.h, radius);
      c.fill();
      c.stroke();
    }
    c.fillStyle = background;
    c.strokeStyle = chosen || i === focus ? colour("accent") : colour("edge");
    c.lineWidth = chosen ? 3 : i === focus ? 2 : 1;
    c.beginPath();
    c.roundRect(left, top, NODE.w, NODE.h, radius);
    c.fill();
    c.stroke();
    if (!text) return;
    const { one, list, share } = about(group);
    const ink = background.startsWith("rgb") ? textOn(background) : colour("ink");
    const title = many ? group.name : one ? short(one) : group.name;
    const note = many ? `${list.length} dispatches${share ? ` · ${percent(share)}` : ""}`
      : one ? data.nodes[group.members[0]].v ?? (place(one.origin) || one.name) : kind;
    c.fillStyle = way.name === "kernel" && one ? (colour("scheme") === "dark" ? "#fff" : "#111827") : ink;
    c.font = "600 12px system-ui, sans-serif";
    c.fillText(cut(c, title, NODE.w - 18), left + 9, cy - 8);
    c.globalAlpha = 0.78;
    c.font = "11px system-ui, sans-serif";
    c.fillText(cut(c, note, NODE.w - 18), left + 9, cy + 9);
    c.globalAlpha = 1;
  }

  function key() {
    const marks = way.name === "kernel" ? [] : [0, 0.25, 0.5, 0.75, 1];
    const scale = way.name === "roofline" ? "share" : "time";
    const gradient = marks.map((m) => on(scale, m)).join(", ");
    const ends = way.name === "roofline" ? ["0 %", "100 %"] : ["0 %", percent(groups.most)];
    legend.replaceChildren(...(marks.length
      ? [h("span", null, ends[0]), h("span.ramp", { style: `background:linear-gradient(90deg, ${gradient})` }), h("span", null, ends[1])] : []));
  }

  function at(event) {
    const [px, py] = transform.invert([event.offsetX, event.offsetY]);
    const found = groups.findIndex(({ at: [x, y] }) => Math.abs(px - x) <= NODE.w / 2 && Math.abs(py - y) <= NODE.h / 2);
    return found < 0 ? null : found;
  }

  canvas.addEventListener("mousemove", (event) => {
    const found = at(event);
    canvas.style.cursor = found == null ? "grab" : "pointer";
    if (found !== hovered) {
      hovered = found;
      requestAnimationFrame(draw);
    }
    tip.hidden = found == null;
    if (found == null) return;
    const group = groups[found];
    const { one, list, share, roofline } = about(group);
    const node = data.nodes[group.members[0]];
    tip.replaceChildren(
      h("strong", null, group.members.length > 1 ? group.name : one ? one.export : node.n),
      one && group.members.length === 1 ? h("div", null, node.v ?? one.origin.slice(0, 6).join(", ")) : "",
      list.length > 1 ? h("div", null, `${list.length} dispatches; click opens them`) : "",
      one?.times[0] ? h("div", null, `${time(one.times[0].time.median)} a dispatch, ${percent(one.share)} of the time`) : share ? h("div", null, `${percent(share)} of the time`) : "",
      roofline != null ? h("div", null, `${percent(roofline)} of the roofline`) : "",
      node.w && group.members.length === 1 ? h("div", null, `${bytes(node.w)} of weights`) : "",
      node.r?.length ? h("div", null, `in ${node.r.join(", ")}`) : "");
    const box2 = box.getBoundingClientRect();
    tip.style.left = `${Math.min(event.offsetX + 14, box2.width - 320)}px`;
    tip.style.top = `${Math.min(event.offsetY + 14, box2.height - 110)}px`;
  });
  canvas.addEventListener("mouseleave", () => { hovered = null; tip.hidden = true; draw(); });
  canvas.addEventListener("click", (event) => {
    const found = at(event);
    if (found == null) return;
    const group = groups[found];
    if (group.members.length > 1 && level < data.levels.length - 1) {
      open(group.members);
    } else {
      const node = group.members[0];
      select(data.nodes[node].e ?? null, node);
    }
  });

  /** Shows the members of a group at the next level. */
  function open(members) {
    level += 1;
    gather();
    groups.most = Math.max(...groups.map((g) => about(g).share), 1e-12);
    detail.value = level;
    const l = data.levels[level];
    const inside = members.map((n) => l.at[l.group[n]]);
    const top = Math.min(...inside.map((p) => p[1]));
    const middle = inside.reduce((sum, p) => sum + p[0], 0) / inside.length;
    const { width } = box.getBoundingClientRect();
    mover.transform(d3(canvas), zoomIdentity.translate(width / 2 - middle, 60 - top + NODE.h).scale(1));
  }

  let placed = false;
  return {
    draw() {
      if (!placed) {
        placed = true;
        arrange();
      } else {
        draw();
      }
    },
  };
}

function cut(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}
