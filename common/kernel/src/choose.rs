//! The choice of what a kernel does where: a function of a graph, of a machine and of what a schedule asks for. Nothing is
//! emitted.
use crate::families::Family;
use crate::gpu::ThreadsPlan;
use crate::graph::{Graph, Node, Unsupported};
use crate::machine::MachineModel;
use crate::prepare::table_of;
use crate::schedule::planner::Planner;
use crate::schedule::stores::{PlannedNests, plan_nests};
use crate::schedule::{Choices, ChosenSchedule};
use halyard_ir::form::NestSchedule;

/// What a kernel does where.
pub(crate) struct Schedule {
    /// How the results are computed.
    pub(crate) work: Work,
    /// The family and its parameters, or what becomes of each nest, for people; `None` if nothing is computed. Of a
    /// kernel of threads it is said when the number of workgroups is known.
    pub(crate) remarks: Option<String>,
    /// The choices that a schedule may name.
    pub(crate) chosen: ChosenSchedule,
}

/// How results are computed.
pub(crate) enum Work {
    /// As a family does it.
    Family(Box<Family>),
    /// By nests of loops.
    Nests(Box<PlannedNests>),
    /// By the threads of a GPU.
    Threads(Box<ThreadsPlan>),
}

/// Why there is no schedule.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// No kernel is made of the graph, and why.
    Unsupported(Unsupported),
    /// What is asked for cannot be: all of it.
    Schedule(Vec<String>),
}

impl From<Unsupported> for Refusal {
    fn from(why: Unsupported) -> Self {
        Refusal::Unsupported(why)
    }
}

/// Chooses what the kernel of a graph does where on a machine. `given` takes the place of the compiler's choices.
pub(crate) fn choose(
    graph: &Graph,
    target: &MachineModel,
    given: Option<&[NestSchedule]>,
) -> Result<Schedule, Refusal> {
    let mut choices = Choices::new(given);
    if target.gpu.is_some() {
        let merged = graph.with_merged_reductions();
        let threads = Planner::new(&merged, target, &mut choices).threads()?;
        let chosen = choices.finish().map_err(Refusal::Schedule)?;
        return Ok(Schedule { work: Work::Threads(Box::new(threads)), remarks: None, chosen });
    }
    let (work, remarks) = match Planner::new(graph, target, &mut choices).family()? {
        Some(family) => {
            let remarks = family.describe();
            (Work::Family(Box::new(family)), remarks)
        }
        None => {
            let nests = plan_nests(graph, target, &mut choices)?;
            if nests.one_workgroup() {
                choices.forget(&["workgroups", "parallel_loop", "second_parallel_loop"]);
            }
            let remarks = nests.remarks.join("; ");
            (Work::Nests(Box::new(nests)), remarks)
        }
    };
    let remarks = remarks + &looked_up(graph);
    let chosen = choices.finish().map_err(Refusal::Schedule)?;
    Ok(Schedule { work, remarks: Some(remarks).filter(|remarks| !remarks.is_empty()), chosen })
}

/// For people: how many functions of one byte are tables.
fn looked_up(graph: &Graph) -> String {
    let is_table = |node: &&Node<_>| node.body.ops().into_iter().any(|op| table_of(op).is_some());
    match graph.nodes.iter().filter(is_table).count() {
        0 => String::new(),
        1 => ", a function of one byte looked up in registers".to_owned(),
        n => format!(", {n} functions of one byte looked up in registers"),
    }
}

#[cfg(test)]
mod tests;
