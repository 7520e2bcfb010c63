// One-to-one matching on a sparse graph: most pairs first, then the largest sum of weights.
//
// Rows are added one by one along shortest augmenting paths. Every row may also stay alone, at a cost beyond any sum of
// weights. Numbers are integers of any length: sums are exact, and what ties, ties.

const LOST = 1n << 140n;
const TOP = 1n << 106n; // no weight is larger

/** What an IoU weighs, in units of 2^-53, and behind it what breaks ties. @param {number} iou @param {number} tie */
export function exactWeight(iou, tie) {
  return (BigInt(Math.round(iou * 2 ** 53)) << 52n) + BigInt(tie);
}

/**
 * @param {number} nRows
 * @param {number} nColumns
 * @param {Int32Array} rows row of each edge
 * @param {Int32Array} columns column of each edge
 * @param {bigint[]} weights of each edge
 * @returns {Uint8Array} 1 for the chosen edges
 */
export function bestEdges(nRows, nColumns, rows, columns, weights) {
  const graph = byRow(nRows, rows);
  const solver = new Assignment(nRows, nColumns, graph, columns, weights);
  for (let row = 0; row < nRows; row++) if (graph.start[row + 1] > graph.start[row]) solver.add(row);
  const chosen = new Uint8Array(rows.length);
  for (const edge of solver.edgeOfColumn) if (edge >= 0) chosen[edge] = 1;
  return chosen;
}

/**
 * Edges sorted by row.
 * @param {number} nRows
 * @param {Int32Array} rows
 */
function byRow(nRows, rows) {
  const start = new Int32Array(nRows + 1);
  for (const row of rows) start[row + 1]++;
  for (let k = 0; k < nRows; k++) start[k + 1] += start[k];
  const next = start.slice();
  const edges = new Int32Array(rows.length);
  rows.forEach((row, edge) => {
    edges[next[row]++] = edge;
  });
  return { start, edges, rows };
}

class Assignment {
  /**
   * @param {number} nRows
   * @param {number} nColumns
   * @param {{start: Int32Array, edges: Int32Array, rows: Int32Array}} graph
   * @param {Int32Array} columns
   * @param {bigint[]} weights
   */
  constructor(nRows, nColumns, graph, columns, weights) {
    this.graph = graph;
    this.columns = columns;
    this.weights = weights;
    this.edgeOfColumn = new Int32Array(nColumns).fill(-1);
    /** @type {bigint[]} */ this.rowPrice = new Array(nRows).fill(0n);
    /** @type {bigint[]} */ this.columnPrice = new Array(nColumns).fill(0n);
    /** @type {bigint[]} */ this.cost = new Array(nColumns).fill(0n);
    this.state = new Uint8Array(nColumns); // 0 not seen, 1 reached, 2 final
    this.cameBy = new Int32Array(nColumns);
  }

  /** @param {number} source a row without a partner */
  add(source) {
    const heap = new Heap();
    const seen = /** @type {number[]} */ ([]);
    const final = /** @type {number[]} */ ([]);
    let row = source;
    let cost = 0n;
    let aloneRow = source;
    let aloneCost = LOST - this.rowPrice[source];
    let sink = -1;
    for (;;) {
      const stays = cost + LOST - this.rowPrice[row];
      if (stays < aloneCost) [aloneRow, aloneCost] = [row, stays];
      this.reach(row, cost, heap, seen);
      const column = this.nearest(heap);
      if (column < 0 || aloneCost < this.cost[column]) {
        cost = aloneCost;
        break;
      }
      this.state[column] = 2;
      cost = this.cost[column];
      if (this.edgeOfColumn[column] < 0) {
        sink = column;
        break;
      }
      final.push(column);
      row = this.graph.rows[this.edgeOfColumn[column]];
    }
    this.raise(source, final, cost);
    this.augment(source, sink, aloneRow);
    for (const column of seen) this.state[column] = 0;
  }

  /**
   * Look at the columns beside a row.
   * @param {number} row @param {bigint} cost @param {Heap} heap @param {number[]} seen
   */
  reach(row, cost, heap, seen) {
    const { start, edges } = this.graph;
    for (let k = start[row]; k < start[row + 1]; k++) {
      const edge = edges[k];
      const column = this.columns[edge];
      if (this.state[column] === 2) continue;
      const newCost = cost + TOP - this.weights[edge] - this.rowPrice[row] - this.columnPrice[column];
      const known = this.state[column] === 1;
      if (known && newCost >= this.cost[column]) continue;
      if (!known) {
        this.state[column] = 1;
        seen.push(column);
      }
      this.cost[column] = newCost;
      this.cameBy[column] = edge;
      heap.push(newCost, column);
    }
  }

  /** @param {Heap} heap @returns {number} the column to look at next, -1 if there is none */
  nearest(heap) {
    while (heap.size) {
      const column = heap.column();
      if (this.state[column] === 1 && heap.cost() === this.cost[column]) return column;
      heap.pop();
    }
    return -1;
  }

  /** @param {number} source @param {number[]} final @param {bigint} cost */
  raise(source, final, cost) {
    this.rowPrice[source] += cost;
    for (const column of final) {
      const row = this.graph.rows[this.edgeOfColumn[column]];
      this.rowPrice[row] += cost - this.cost[column];
      this.columnPrice[column] -= cost - this.cost[column];
    }
  }

  /**
   * Exchange along the path that ends at a free column, or at a row that stays alone from now on.
   * @param {number} source @param {number} sink @param {number} aloneRow
   */
  augment(source, sink, aloneRow) {
    let column = sink;
    if (sink < 0) {
      if (aloneRow === source) return;
      column = this.columnOfRow(aloneRow);
    }
    for (;;) {
      const edge = this.cameBy[column];
      const row = this.graph.rows[edge];
      const before = row === source ? -1 : this.columnOfRow(row);
      this.edgeOfColumn[column] = edge;
      if (row === source) return;
      column = before;
    }
  }

  /** @param {number} row @returns {number} its column */
  columnOfRow(row) {
    const { start, edges } = this.graph;
    for (let k = start[row]; k < start[row + 1]; k++) {
      if (this.edgeOfColumn[this.columns[edges[k]]] === edges[k]) return this.columns[edges[k]];
    }
    throw new Error("a row on the path has no column");
  }
}

/** A binary heap of columns by cost. */
class Heap {
  constructor() {
    /** @type {bigint[]} */ this.costs = [];
    /** @type {number[]} */ this.columns = [];
  }

  get size() {
    return this.columns.length;
  }

  column() {
    return this.columns[0];
  }

  cost() {
    return this.costs[0];
  }

  /** @param {number} i @param {number} j */
  swap(i, j) {
    [this.costs[i], this.costs[j]] = [this.costs[j], this.costs[i]];
    [this.columns[i], this.columns[j]] = [this.columns[j], this.columns[i]];
  }

  /** @param {bigint} cost @param {number} column */
  push(cost, column) {
    let at = this.costs.push(cost) - 1;
    this.columns.push(column);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.costs[at] >= this.costs[parent]) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  pop() {
    this.swap(0, this.size - 1);
    this.costs.pop();
    this.columns.pop();
    let at = 0;
    for (;;) {
      let smallest = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < this.size && this.costs[child] < this.costs[smallest]) smallest = child;
      if (smallest === at) return;
      this.swap(at, smallest);
      at = smallest;
    }
  }
}
