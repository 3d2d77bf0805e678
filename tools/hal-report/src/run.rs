//! Runs the tool, step by step.
use crate::{
    ReportArgs,
    assembly::assembly,
    code,
    data::{Data, HotData, LevelData, NodeData, Ratio, SCHEMA, Shown, Texts, TimelineData, Times},
    drawing,
    executables::executables,
    graph::{Graph, Level, ROW, graph, layout, levels, lifetimes},
    hot::HotSpots,
    inputs::inputs,
    measure::{Measured, comparable, measure},
    page, timeline, tuning,
};
use halyard_cli::{Printer, write_output};
use halyard_diag::{Error, Result};
use halyard_peaks::Peaks;
use halyard_programs::{Loader, listed, monitored};
use halyard_runtime::{FunctionInfo, commands::KernelCode};
use std::{collections::BTreeMap, io::IsTerminal, path::Path};

/// Runs the tool. Errors: programs that cannot be loaded, inputs that do not fit, a call that fails.
pub fn run(args: ReportArgs, printer: &Printer) -> Result<()> {
    if let Some(text) = listed(&args.load)? {
        return printer.stdout(&text);
    }
    check_output(&args)?;
    let work = || Loader::scope(&args.load, |said| printer.diagnostic(said), |loader| with(&args, loader, printer));
    monitored(&args.load, &args.programs, printer, work)
}

/// Refuses what nobody can read. Errors: HTML for a terminal, or in a file that is named like something else.
fn check_output(args: &ReportArgs) -> Result<()> {
    let refuse = |why: String| Err(Error::usage(why));
    if args.graph.is_some() {
        return Ok(());
    }
    if args.output == Path::new("-") && std::io::stdout().is_terminal() {
        return refuse("a report is HTML, which is not written to a terminal".into())
            .map_err(|e| e.hint("name a file: `-o model.html`"));
    }
    let file = args.output.display();
    match args.output.extension().and_then(|e| e.to_str()) {
        Some(kind @ ("svg" | "dot")) => refuse(format!("`{file}` would be HTML, not {kind}"))
            .map_err(|e| e.hint(format!("`--graph={kind}` writes the graph as {kind}"))),
        Some("pdf" | "png" | "json" | "md" | "txt" | "csv") => {
            refuse(format!("`{file}` would be HTML")).map_err(|e| e.hint("name it `.html`; browsers print it as PDF"))
        }
        Some("so") => refuse(format!("`{file}` would be replaced by HTML")).map_err(|e| e.hint("name it `.html`")),
        _ => Ok(()),
    }
}

fn with(args: &ReportArgs, loader: &Loader<'_>, printer: &Printer) -> Result<()> {
    let runs = !args.no_run && args.graph.is_none();
    let elsewhere = |e: Error| match e.diagnostics.iter().any(|d| d.code == Some("wrong-machine")) {
        true => e.hint("`--no-run` shows it without running it"),
        false => e,
    };
    let load = |path| if runs { loader.load(path).map_err(elsewhere) } else { loader.inspect(path) };
    let programs = args.programs.iter().map(|path| load(path)).collect::<Result<Vec<_>>>()?;
    loader.idle(&programs.iter().collect::<Vec<_>>()).iter().for_each(|warning| printer.diagnostic(warning));
    let program = &programs[0];
    let info = program.function(args.function.as_deref())?.clone();
    if let Some(other) = programs.get(1) {
        comparable(&info, other.function(Some(&info.name))?)?;
    }
    let host = program.host_program();
    let function = host.functions.iter().find(|f| f.info.name == info.name).expect("it was found above");
    let found = graph(host, function);
    let levels = levels(&found);
    if let Some(format) = args.graph {
        return write_output(&args.output, drawing::draw(format, &info.name, &found).as_bytes());
    }
    let (mut measured, mut words, mut peaks) = (Vec::new(), Vec::new(), None);
    if runs {
        let (tensors, said) = inputs(args, &info)?;
        let sampled = !args.no_assembly && program.device_title().is_none();
        measured = measure(&programs, &info, &tensors, args.runs, (args.load.threads, sampled))?;
        words = said;
        if program.device_title().is_none() {
            let (found, warning) = Peaks::of_this_machine(measured[0].timeline.threads, false);
            warning.iter().for_each(|w| printer.diagnostic(w));
            peaks = Some(found);
        }
    }
    let name = |path: &Path| path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let names: Vec<String> = args.programs.iter().map(|p| name(p)).collect();
    let mut texts = Texts::new();
    let mut hot: BTreeMap<String, HotData> = BTreeMap::new();
    if !args.no_assembly {
        let on_cpu = host.kernels.iter().flat_map(|k| &k.variants);
        let symbols: Vec<&str> = on_cpu
            .filter_map(|v| if let KernelCode::Host { symbol } = &v.code { Some(&**symbol) } else { None })
            .filter(|symbol| program.kernels().iter().any(|k| k.symbol == *symbol))
            .collect();
        let (found, warning) = assembly(&args.programs[0], &symbols)?;
        warning.iter().for_each(|w| printer.diagnostic(w));
        let spots = HotSpots::of(measured.first().map_or(&[], |m| &m.samples));
        for (symbol, listing) in found {
            let (text, samples) = spots.shown(&symbol, &listing);
            hot.extend(samples.map(|samples| (symbol.clone(), samples)));
            texts.insert(symbol, text);
        }
    }
    let kernels = program.kernels();
    if let Some(folder) = &args.files_from {
        texts.extend(code::files(folder, kernels)?);
    }
    if let Some(file) = &args.schedule {
        texts.extend(code::schedules(file, kernels)?);
    }
    let mut executables = executables(&names[0], program, &found, &measured, programs.get(1), peaks.as_ref());
    executables.iter_mut().for_each(|e| e.hot = hot.remove(&e.symbol));
    if let Some(file) = &args.tuning {
        tuning::add(file, &mut executables)?;
    }
    let data = Data {
        schema: SCHEMA,
        tool: format!("hal-report {}", env!("CARGO_PKG_VERSION")),
        signature: signature(&info),
        function: info.name.clone(),
        device: program.device_title().filter(|_| runs),
        threads: measured.first().map(|m| m.timeline.threads),
        inputs: words,
        machine: peaks.as_ref().map(|p| p.machine.clone()),
        weights: found.nodes.iter().map(|n| n.weights).sum(),
        arena: function.arena,
        executables,
        nodes: found.nodes.iter().map(node).collect(),
        row: ROW,
        levels: levels.iter().map(|level| laid_out(&found, level)).collect(),
        memory: lifetimes(&found, function),
        calls: measured.iter().filter_map(|m| Times::of(&m.calls)).collect(),
        speedup: speedup(&measured),
        timeline: measured.first().map(traced),
        commands: commands(&names, &info.name),
        programs: names,
    };
    write_output(&args.output, page::html(&data, &texts).as_bytes())
}

/// `main(x: 1x784xf32) -> (1x10xf32)`.
fn signature(info: &FunctionInfo) -> String {
    let list = |specs: &[halyard_runtime::TensorSpec]| {
        let one = |s: &halyard_runtime::TensorSpec| match &s.name {
            Some(name) => format!("{name}: {}", s.type_text()),
            None => s.type_text(),
        };
        specs.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    format!("{}({}) -> ({})", info.name, list(&info.inputs), list(&info.outputs))
}

fn node(node: &crate::graph::Node) -> NodeData {
    NodeData {
        n: node.label.clone(),
        k: node.kind,
        e: node.kernel,
        v: node.value.clone(),
        w: node.weights,
        r: node.regions.clone(),
    }
}

/// A level with its layout. Edges between the same groups are one.
fn laid_out(graph: &Graph, level: &Level) -> LevelData {
    let mut joined: BTreeMap<(usize, usize), Option<u64>> = BTreeMap::new();
    for e in &graph.edges {
        let ends = (level.group[e.from], level.group[e.to]);
        if ends.0 != ends.1 {
            let bytes = joined.entry(ends).or_insert(Some(0));
            *bytes = bytes.zip(e.bytes).map(|(a, b)| a + b);
        }
    }
    let pairs: Vec<(usize, usize)> = joined.keys().copied().collect();
    let found = layout(level.names.len(), &pairs);
    let edges = joined.iter().map(|(&(from, to), bytes)| (from, to, bytes.map_or(-1, |b| b as i64)));
    LevelData {
        name: level.name.clone(),
        width: found.width,
        height: found.height,
        group: level.group.clone(),
        names: level.names.clone(),
        at: found.nodes.iter().map(|p| (p.x, p.y)).collect(),
        edges: edges.collect(),
        paths: found.paths.into_iter().enumerate().filter(|(_, path)| !path.is_empty()).collect(),
    }
}

fn speedup(measured: &[Measured]) -> Option<Ratio> {
    let [a, b] = measured else { return None };
    let (speedup, interval) = halyard_statistics::ratio(&a.calls, &b.calls);
    Some(Ratio { speedup, interval, same: false })
}

fn traced(measured: &Measured) -> TimelineData {
    TimelineData {
        length: timeline::length(&measured.timeline),
        kinds: timeline::KINDS.to_vec(),
        tracks: timeline::tracks(&measured.timeline),
        dispatches: measured.timeline.dispatches.iter().map(|d| d.kernel).collect(),
    }
}

/// Commands for what the page shows.
fn commands(names: &[String], function: &str) -> Vec<Shown> {
    let shown = |what: &str, command: String| Shown { what: what.into(), command };
    let first = &names[0];
    vec![
        shown("graph", format!("hal-report {first} --function={function} --graph=svg -o graph.svg")),
        shown("timeline", format!("hal-run {first} --function={function} --trace=run.perfetto")),
        shown("memory", format!("hal-report {first} --function={function} --no-run -o memory.html")),
        shown("executables", format!("hal-benchmark {} --function={function} --per-executable", names.join(" "))),
    ]
}
