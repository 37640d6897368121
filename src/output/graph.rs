//! The graph of a workflow job as a picture (SVG) and as a text for Graphviz.
//!
//! The nodes are put on lines: each below all nodes that lead to it. Must not decide anything about jobs.

use std::fmt::Write as _;

use crate::output::page::frame::escaped;
use howdah_answers::query::graph::{GraphEdge, GraphNode};
use howdah_words::model::node_type::NodeType;
use howdah_words::model::status::NodeStatus;

const WIDTH: usize = 170;
const HEIGHT: usize = 34;
const COLUMN: usize = WIDTH + 30;
const LINE: usize = HEIGHT + 46;
const MARGIN: usize = 16;
/// The longest name that fits into a box, in characters.
const LONGEST: usize = 22;

/// Returns the nodes that are drawn: kill nodes only where they are wanted, or reached.
fn shown(nodes: &[GraphNode], with_kills: bool) -> Vec<bool> {
    nodes.iter().map(|node| with_kills || node.kind != NodeType::Kill || node.status.is_some()).collect()
}

/// Returns the colour of a node by its status.
const fn colour(status: Option<NodeStatus>) -> &'static str {
    match status {
        None => "#d9d9d9",
        Some(NodeStatus::Ok | NodeStatus::Done) => "#9ad29a",
        Some(NodeStatus::Error | NodeStatus::Failed | NodeStatus::Killed) => "#f08c8c",
        Some(_) => "#f5dd7a",
    }
}

/// Returns the colour of a transition.
const fn edge_colour(edge: &GraphEdge) -> &'static str {
    match (edge.is_taken, edge.is_error) {
        (true, false) => "#2e8b2e",
        (true, true) => "#c03030",
        (false, _) => "#a0a0a0",
    }
}

/// Returns the line of each node: one below the lowest node that leads to it.
fn lines(nodes: &[GraphNode]) -> Vec<usize> {
    let mut open = vec![0_usize; nodes.len()];
    nodes.iter().flat_map(|node| &node.edges).for_each(|edge| open[edge.to] += 1);
    let mut lines = vec![0; nodes.len()];
    let mut ready: Vec<usize> = (0..nodes.len()).filter(|place| open[*place] == 0).collect();
    // A definition without a circle reaches every node; one with a circle was refused at submission.
    while let Some(place) = ready.pop() {
        for edge in &nodes[place].edges {
            lines[edge.to] = lines[edge.to].max(lines[place] + 1);
            open[edge.to] -= 1;
            if open[edge.to] == 0 {
                ready.push(edge.to);
            }
        }
    }
    lines
}

/// Returns the left upper corner of each node, and the size of the picture.
fn places(nodes: &[GraphNode], shown: &[bool]) -> (Vec<(usize, usize)>, (usize, usize)) {
    let lines = lines(nodes);
    let mut used = vec![0_usize; nodes.len() + 1];
    let mut places = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        places.push((MARGIN + used[*line] * COLUMN, MARGIN + line * LINE));
        used[*line] += usize::from(shown[place]);
    }
    let widest = used.iter().max().copied().unwrap_or(1).max(1);
    // Each line is centred.
    for ((x, _), line) in places.iter_mut().zip(&lines) {
        *x += (widest - used[*line].min(widest)) * COLUMN / 2;
    }
    let height = lines.iter().max().copied().unwrap_or_default() * LINE + HEIGHT + 2 * MARGIN;
    (places, (widest * COLUMN + 2 * MARGIN, height))
}

/// Returns the picture of a graph.
pub(crate) fn svg(nodes: &[GraphNode], with_kills: bool) -> String {
    let shown = shown(nodes, with_kills);
    let (places, (width, height)) = places(nodes, &shown);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n"
    );
    for (place, node) in nodes.iter().enumerate().filter(|(place, _)| shown[*place]) {
        for edge in node.edges.iter().filter(|edge| shown[edge.to]) {
            add_edge(&mut out, edge, (places[place], places[edge.to]));
        }
    }
    for (place, node) in nodes.iter().enumerate().filter(|(place, _)| shown[*place]) {
        add_node(&mut out, node, places[place]);
    }
    out + "</svg>\n"
}

fn add_edge(out: &mut String, edge: &GraphEdge, (from, to): ((usize, usize), (usize, usize))) {
    let (x1, y1, x2, y2) = (from.0 + WIDTH / 2, from.1 + HEIGHT, to.0 + WIDTH / 2, to.1);
    let dashes = if edge.is_error { " stroke-dasharray=\"5 3\"" } else { "" };
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<path d=\"M{x1} {y1} C{x1} {} {x2} {} {x2} {y2}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{dashes}/>\
         <path d=\"M{x2} {y2} l-4 -7 h8 z\" fill=\"{}\"/>",
        y1 + 20,
        y2.saturating_sub(24),
        edge_colour(edge),
        edge_colour(edge)
    );
}

fn add_node(out: &mut String, node: &GraphNode, (x, y): (usize, usize)) {
    let status = node.status.map_or("not reached", NodeStatus::as_str);
    let title = escaped(&format!("{} ({}): {status}", node.name, node.kind));
    let (fill, rounding) = (colour(node.status), if matches!(node.kind, NodeType::Action(_)) { 4 } else { HEIGHT / 2 });
    let _ = writeln!(
        out,
        "<g><title>{title}</title><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"{rounding}\" \
         fill=\"{fill}\" stroke=\"#555\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text></g>",
        x + WIDTH / 2,
        y + HEIGHT / 2 + 4,
        escaped(&short(&node.name))
    );
}

/// Returns a name that fits into a box.
fn short(name: &str) -> String {
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['\u{2026}']).collect()
}

/// Returns a graph in the language of Graphviz.
pub(crate) fn dot(nodes: &[GraphNode], with_kills: bool) -> String {
    let shown = shown(nodes, with_kills);
    let quoted = |name: &str| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = "digraph workflow {\n".to_owned();
    for (_, node) in nodes.iter().enumerate().filter(|(place, _)| shown[*place]) {
        let _ = writeln!(out, "  {} [style=filled fillcolor=\"{}\"];", quoted(&node.name), colour(node.status));
        for edge in node.edges.iter().filter(|edge| shown[edge.to]) {
            let to = quoted(&nodes[edge.to].name);
            let _ = writeln!(out, "  {} -> {to} [color=\"{}\"];", quoted(&node.name), edge_colour(edge));
        }
    }
    out + "}\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, kind: NodeType, status: Option<NodeStatus>, edges: &[(usize, bool)]) -> GraphNode {
        let edge = |(to, is_error): &(usize, bool)| GraphEdge { to: *to, is_error: *is_error, is_taken: !is_error };
        GraphNode { name: name.to_owned(), kind, status, edges: edges.iter().map(edge).collect() }
    }

    fn diamond() -> Vec<GraphNode> {
        vec![
            node("s", NodeType::Start, Some(NodeStatus::Ok), &[(1, false)]),
            node("<f&\"", NodeType::Fork, Some(NodeStatus::Ok), &[(2, false), (3, false)]),
            node("a", NodeType::Decision, Some(NodeStatus::Running), &[(4, false), (5, true)]),
            node("b", NodeType::Join, None, &[(4, false)]),
            node("e", NodeType::End, None, &[]),
            node("k", NodeType::Kill, None, &[]),
        ]
    }

    #[test]
    fn each_node_is_below_those_that_lead_to_it() {
        assert_eq!(lines(&diamond()), [0, 1, 2, 2, 3, 3]);
        let (places, _) = places(&diamond(), &[true; 6]);
        assert_eq!(places[2].1, places[3].1);
        assert_ne!(places[2].0, places[3].0);
    }

    #[test]
    fn a_picture_escapes_names_and_hides_kill_nodes() {
        let picture = svg(&diamond(), false);
        assert!(picture.contains("&lt;f&amp;&quot;") && !picture.contains("<f&"), "{picture}");
        assert_eq!(picture.matches("<rect").count(), 5);
        assert_eq!(svg(&diamond(), true).matches("<rect").count(), 6);
        assert!(dot(&diamond(), false).contains("\"<f&\\\"\" -> \"a\""));
        assert_eq!(svg(&[], false).matches("<rect").count(), 0);
    }
}
