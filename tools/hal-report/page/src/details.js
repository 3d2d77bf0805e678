// The details of the selected executable: where it comes from, its times, its assembly, what stages changed, commands.
import uPlot from "uplot";
import { colour, command, h } from "./dom.js";
import { bytes, count, percent, time } from "./format.js";
import { data, listen, select, state, text } from "./state.js";
import { stages } from "./stages.js";
import { tuning } from "./tuning.js";

export function details(side) {
  let view = "overview";
  let drawn = 0;

  async function draw() {
    const number = ++drawn;
    const e = data.executables[state.selected];
    if (!e) {
      side.replaceChildren();
      return;
    }
    const tabs = [["overview", "Overview"], ["assembly", "Assembly"], ["stages", "Stages"], ["code", "Code"], e.tuning.length ? ["tuning", "Tuning"] : null, ["commands", "Commands"]].filter(Boolean);
    if (!tabs.some(([name]) => name === view)) view = "overview";
    const body = h(".body");
    side.replaceChildren(
      h(".head", null, h("div", null, h("h2", { title: e.export }, e.export), h("p.muted", null, e.name, " · ", e.variant)),
        h("button.close", { type: "button", title: "Close", onclick: () => select(null) }, "×")),
      h("nav.small", { role: "tablist" }, tabs.map(([name, title]) =>
        h("button", { type: "button", role: "tab", "data-detail": name, "aria-selected": String(name === view), onclick: () => { view = name; draw(); } }, title))),
      body);
    if (view === "overview") overview(e, body);
    if (view === "commands") body.append(...e.commands.map(command));
    if (view === "tuning") tuning(e, body);
    if (view === "assembly") {
      const found = await text(e.symbol);
      if (number !== drawn) return;
      body.append(found ? listing(e, found) : h("p.muted", null, "The report has no assembly of this kernel: it was left out, runs on a device, or llvm-objdump was not installed."),
        command(e.commands.find((c) => c.what.startsWith("All of the assembly"))));
    }
    if (view === "stages") {
      const found = await stages(e, mlir);
      if (number !== drawn) return;
      if (!found.length) {
        body.append(h("p.muted", null, "A linked program has machine code only. Compile it with --report, or with this flag, and give the report the folder, to see what each stage changed:"),
          command({ what: "Compile", command: `hal-compile MODEL -o ${data.programs[0]} --dump-executable-{files,stages}-to=files` }),
          command({ what: "Report", command: `hal-report ${data.programs[0]} --files-from=files -o report.html` }));
      }
      body.append(...found, ...e.commands.filter((c) => c.what.startsWith("What each stage") || (found.length && c.what.startsWith("MLIR"))).map(command));
    }
    if (view === "code") {
      const parts = [["Schedule", `schedule:${e.export}`, true], ["MLIR", `mlir:${e.name}`, true], ["LLVM IR", `llvm:${e.name}`, false], ["LLVM IR, optimised", `optimized:${e.name}`, false]];
      const found = (await Promise.all(parts.map(async ([title, name, open]) => [title, await text(name), open]))).filter((p) => p[1]);
      if (number !== drawn) return;
      if (!found.length) {
        body.append(h("p.muted", null, "A linked program has machine code only. Compile it with these flags, and give the report what they write, to see schedule, MLIR and LLVM IR here:"),
          command({ what: "Compile", command: `hal-compile MODEL -o ${data.programs[0]} --dump-executable-files-to=files --explain=schedule 2> schedule.txt` }),
          command({ what: "Report", command: `hal-report ${data.programs[0]} --files-from=files --schedule=schedule.txt -o report.html` }));
      }
      for (const [title, source, open] of found) body.append(h("details", { open }, h("summary", null, title), code(source, mlir)));
      body.append(...e.commands.filter((c) => c.what.startsWith("MLIR") || c.what.startsWith("The schedule")).map(command));
    }
  }
  listen(draw);
}

function overview(e, body) {
  const row = (name, ...value) => [h("dt", null, name), h("dd", null, ...value)];
  const list = h("dl", null,
    e.origin.length ? row("Model", origins(e.origin)) : row("Model", "unknown"),
    row("Key", h("code", null, e.key)),
    row("Interface", ...e.bindings.map(([type, written]) => h("div", null, h("code", null, type), written ? h("span.tag", null, "written") : ""))),
    row("Uses", `${e.uses} in the host program`),
    e.total != null ? row("In a call", `${time(e.total)}, ${percent(e.share)} of the time`) : [],
    e.roofline != null ? row("Roofline", `${percent(e.roofline)}; the limit is ${e.limit}`) : [],
    e.against ? row("Against", `${data.programs[1]}: ${e.against.same ? "the same code" : `${e.against.speedup.toFixed(2)} times as fast (95 % interval ${e.against.interval.map((x) => x.toFixed(2)).join(" … ")})`}`) : [],
    e.others.length ? row("Variants", `also ${e.others.join(", ")}`) : []);
  body.append(list);
  for (const kind of e.times) {
    const rate = [kind.flops ? `${count(kind.flops / kind.time.median)}FLOP/s` : null, `${bytes(kind.bytes / kind.time.median)}/s`].filter(Boolean).join(", ");
    const sizes = kind.constants.length ? `, constants ${kind.constants.join(", ")}` : "";
    body.append(h("h3", null, `${kind.workgroups.join(" × ")} workgroups${sizes}`),
      h("p", null, `${time(kind.time.median)} (95 % interval ${kind.time.interval.map(time).join(" … ")}), ${rate}`),
      samples(kind.time));
  }
  if (!e.times.length) body.append(h("p.muted", null, "Not measured: the program was not run, or this call did not need the kernel."));
}

/** Nodes of the model: the first ones, and all of them on demand. */
function origins(list) {
  const lines = list.map((o) => h("div", null, h("code", null, o)));
  return list.length <= 6 ? h("div", null, lines)
    : h("div", null, lines.slice(0, 5), h("details", null, h("summary", null, `${list.length - 5} more`), lines.slice(5)));
}

/** The samples in the order of the calls: drift and outliers show. */
function samples(times) {
  const holder = h(".chart");
  const unit = 1e6;
  const options = {
    width: 360, height: 110, legend: { show: false }, cursor: { show: false }, padding: [8, 8, 0, 0],
    scales: { x: { time: false }, y: { range: (u, low, high) => [0, high * 1.15] } },
    axes: [
      { stroke: colour("muted"), grid: { show: false }, ticks: { show: false }, size: 22, font: "10px system-ui", values: (u, v) => v.map((x) => (Number.isInteger(x) ? x : "")) },
      { stroke: colour("muted"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, size: 52, font: "10px system-ui", values: (u, v) => v.map((x) => time(x / unit)) },
    ],
    series: [{}, { stroke: colour("accent"), width: 1.5, points: { show: true, size: 5, fill: colour("accent") } }],
  };
  new uPlot(options, [times.samples.map((_, i) => i + 1), times.samples.map((s) => s * unit)], holder);
  return holder;
}

/** Assembly, with the share of the kernel's samples that falls on each line. */
function listing(e, source) {
  if (!e.hot) return h("div", null, h("p.muted", null, unsampled(e)), code(source, assembly));
  const { samples, threads, lines } = e.hot;
  const on = new Map(lines);
  const most = Math.max(...on.values());
  const pre = h("pre.code.hot", null, source.replace(/\n$/, "").split("\n").map((line, i) => {
    const part = (on.get(i) ?? 0) / samples;
    const heat = part ? `background:color-mix(in srgb, var(--bad) ${Math.round(45 * (on.get(i) / most))}%, transparent)` : null;
    return h("span", { style: heat, "data-line": i }, h("i.share", null, part >= 0.001 ? percent(part).padStart(7) : "".padStart(7)), assembly(line));
  }));
  const hottest = [...lines].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0][0];
  const jump = h("button.link", { type: "button", onclick: () => pre.children[hottest].scrollIntoView({ block: "center" }) }, "Show the hottest instruction");
  return h("div", null,
    h("p.muted", null, `${samples.toLocaleString("en")} samples of a timer on ${threads} thread${threads === 1 ? "" : "s"}, as a share of those in this kernel. A sample falls on the instruction that waits, often the one after a slow one. Functions that it calls are not counted. `, jump), pre);
}

function unsampled(e) {
  if (!data.calls.length) return "The program was not run, so it is not known which instructions are hot.";
  if (data.device) return "Kernels on a device are not sampled.";
  return e.total == null ? "This call did not need the kernel." : "The kernel took too little of the call for samples: those of hal-benchmark or perf last longer.";
}

/** A listing, coloured line by line. */
function code(source, paint) {
  return h("pre.code", null, source.split("\n").map((line) => paint(line)));
}

function assembly(line) {
  if (/^<.*>:?$/.test(line.trim())) return h("span.label", null, `${line}\n`);
  const match = line.match(/^(\s*)(\S+)(.*)$/);
  if (!match) return `${line}\n`;
  const vector = /(zmm|ymm|xmm|\bv\d+\.)/.test(line);
  const jump = /^(j|b\.|call|ret|cb)/.test(match[2]);
  return h("span", null, match[1], h(jump ? "b.jump" : vector ? "b.vector" : "b", null, match[2]), `${match[3]}\n`);
}

export function mlir(line) {
  const parts = line.split(/(%[\w#]+|@[\w.]+|"[^"]*"|\/\/.*$|\b(?:linalg|arith|tensor|math|func|scf|affine)\.\w+)/);
  return h("span", null, parts.map((p) => {
    if (p.startsWith("%")) return h("i.value", null, p);
    if (p.startsWith("@") || p.startsWith("\"")) return h("i.name", null, p);
    if (/^\w+\.\w+$/.test(p)) return h("b", null, p);
    return p;
  }), "\n");
}
