// The executables, sortable; a click shows the details.
import { on, textOn } from "./colours.js";
import { command, empty, h } from "./dom.js";
import { bytes, count, percent, place, short, time } from "./format.js";
import { data, most, select, state } from "./state.js";

const median = (e) => (e.times.length ? e.times[0].time.median : null);

export function table(pane) {
  const shown = command(data.commands.find((c) => c.what === "executables"));
  if (!data.executables.length) {
    pane.append(empty("No executables", "The function dispatches no kernel: its host program only copies and computes sizes."), shown);
    return { draw() {} };
  }
  const measured = data.executables.some((e) => e.total != null);
  const compared = data.executables.some((e) => e.against);
  const columns = [
    { title: "Kernel", of: (e) => short(e), cell: (e) => h("span", { title: e.export }, short(e)), wide: true },
    measured && { title: "In a call", of: (e) => e.total, cell: (e) => time(e.total), number: true },
    measured && { title: "Share", of: (e) => e.share, cell: share, number: true },
    measured && { title: "Roofline", of: (e) => e.roofline, cell: roofline, number: true },
    compared && { title: "Speed-up", of: (e) => e.against?.speedup, cell: speedup, number: true },
    { title: "Calls", of: (e) => e.times.reduce((n, t) => n + t.calls, 0) || e.uses, cell: (e) => e.times.reduce((n, t) => n + t.calls, 0) || e.uses, number: true },
    measured && { title: "Each", of: median, cell: (e) => time(median(e)), number: true },
    { title: "Operations", of: (e) => e.flops, cell: (e) => count(e.flops), number: true },
    { title: "Bytes", of: (e) => e.bytes, cell: (e) => bytes(e.bytes), number: true },
    { title: "Origin", of: (e) => place(e.origin), cell: (e) => h("span", { title: e.origin.join("\n") }, place(e.origin) + (e.origin.length > 1 ? ` +${e.origin.length - 1}` : "")), wide: true },
    { title: "Target", of: (e) => e.variant, cell: (e) => e.variant },
    { title: "Key", of: (e) => e.key, cell: (e) => h("code", null, e.key.slice(0, 8)) },
  ].filter(Boolean);
  let by = measured ? columns.find((c) => c.title === "In a call") : columns[0];
  let down = measured;
  let sought = "";
  const body = h("tbody");
  const head = h("tr", null, columns.map((c) => h(`th${c.number ? ".number" : ""}`, null,
    h("button", { type: "button", onclick: () => { down = by === c ? !down : Boolean(c.number); by = c; draw(); } }, c.title))));
  const search = h("input", { type: "search", placeholder: "Find a kernel, node or key", "aria-label": "Find", oninput: () => { sought = search.value.toLowerCase(); draw(); } });
  const found = h("span.muted");
  pane.append(h(".bar", null, search, found), h(".scroll", null, h("table", null, h("thead", null, head), body)), shown);

  function share(e) {
    const part = e.share ?? 0;
    return h("span.meter", null, h("i", { style: `width:${Math.round(60 * Math.min(part / most, 1))}px` }), percent(e.share));
  }

  function roofline(e) {
    if (e.roofline == null) return "–";
    const back = on("share", e.roofline);
    return h("span.badge", { title: `the limit is ${e.limit}`, style: `background:${back};color:${textOn(back)}` }, percent(e.roofline));
  }

  function speedup(e) {
    if (!e.against) return "–";
    const { speedup, interval: [low, high], same } = e.against;
    const kind = same || (low <= 1 && high >= 1) ? "even" : low > 1 ? "better" : "worse";
    return h(`span.${kind}`, { title: same ? "the same code" : "95 % interval" }, same ? "same code" : `${speedup.toFixed(2)} × (${low.toFixed(2)} … ${high.toFixed(2)})`);
  }

  function draw() {
    const order = data.executables.map((e, i) => i)
      .filter((i) => !sought || [data.executables[i].export, data.executables[i].key, ...data.executables[i].origin].some((t) => t.toLowerCase().includes(sought)));
    order.sort((i, k) => {
      const [a, b] = [by.of(data.executables[i]), by.of(data.executables[k])];
      if (a == null || b == null) return (a == null) - (b == null);
      return (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b) * (down ? -1 : 1) || i - k;
    });
    [...head.children].forEach((th, i) => th.setAttribute("aria-sort", columns[i] === by ? (down ? "descending" : "ascending") : "none"));
    found.textContent = sought ? `${order.length} of ${data.executables.length}` : `${order.length} ${order.length === 1 ? "kernel" : "kernels"}`;
    body.replaceChildren(...order.map((i) => {
      const e = data.executables[i];
      return h("tr", { "data-executable": i, "aria-selected": state.selected === i, onclick: () => select(i) },
        columns.map((c) => h(`td${c.number ? ".number" : ""}${c.wide ? ".wide" : ""}`, null, c.cell(e))));
    }));
    if (!order.length) body.append(h("tr", null, h("td.none", { colspan: columns.length }, `Nothing is called “${sought}”`)));
  }
  return { draw };
}
