// One-to-one matching on a sparse graph: most pairs first, then the largest sum of weights.
//
// Rows are added one by one along shortest augmenting paths. Every row may also stay alone, at a cost of one "lost
// pair"; costs are compared first by lost pairs, then by weight, so that no large constant is needed.

/**
 * @param {number} nRows
 * @param {number} nColumns
 * @param {Int32Array} rows row of each edge
 * @param {Int32Array} columns column of each edge
 * @param {Float64Array} weights at most 1 + 1e-9
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
   * @param {Float64Array} weights
   */
  constructor(nRows, nColumns, graph, columns, weights) {
    this.graph = graph;
    this.columns = columns;
    this.weights = weights;
    this.edgeOfColumn = new Int32Array(nColumns).fill(-1);
    // Potentials: lost pairs and weight.
    this.rowLost = new Float64Array(nRows);
    this.rowCost = new Float64Array(nRows);
    this.columnLost = new Float64Array(nColumns);
    this.columnCost = new Float64Array(nColumns);
    this.lost = new Float64Array(nColumns);
    this.cost = new Float64Array(nColumns);
    this.state = new Uint8Array(nColumns); // 0 not seen, 1 reached, 2 final
    this.cameBy = new Int32Array(nColumns);
  }

  /** @param {number} source a row without a partner */
  add(source) {
    const heap = new Heap();
    const seen = /** @type {number[]} */ ([]);
    const final = /** @type {number[]} */ ([]);
    let row = source;
    let lost = 0;
    let cost = 0;
    let aloneRow = -1;
    let aloneLost = Infinity;
    let aloneCost = Infinity;
    let sink = -1;
    for (;;) {
      const staysLost = lost + 1 - this.rowLost[row];
      const staysCost = cost - this.rowCost[row];
      if (staysLost < aloneLost || (staysLost === aloneLost && staysCost < aloneCost)) {
        [aloneRow, aloneLost, aloneCost] = [row, staysLost, staysCost];
      }
      this.reach(row, lost, cost, heap, seen);
      const column = this.nearest(heap);
      if (
        column < 0 ||
        aloneLost < this.lost[column] ||
        (aloneLost === this.lost[column] && aloneCost < this.cost[column])
      ) {
        [lost, cost] = [aloneLost, aloneCost];
        break;
      }
      this.state[column] = 2;
      [lost, cost] = [this.lost[column], this.cost[column]];
      if (this.edgeOfColumn[column] < 0) {
        sink = column;
        break;
      }
      final.push(column);
      row = this.graph.rows[this.edgeOfColumn[column]];
    }
    this.raise(source, final, lost, cost);
    this.augment(source, sink, aloneRow);
    for (const column of seen) this.state[column] = 0;
  }

  /**
   * Look at the columns beside a row.
   * @param {number} row @param {number} lost @param {number} cost @param {Heap} heap @param {number[]} seen
   */
  reach(row, lost, cost, heap, seen) {
    const { start, edges } = this.graph;
    for (let k = start[row]; k < start[row + 1]; k++) {
      const edge = edges[k];
      const column = this.columns[edge];
      if (this.state[column] === 2) continue;
      const newLost = lost - this.rowLost[row] - this.columnLost[column];
      const newCost = cost + (1.00000001 - this.weights[edge]) - this.rowCost[row] - this.columnCost[column];
      const known = this.state[column] === 1;
      if (known && (newLost > this.lost[column] || (newLost === this.lost[column] && newCost >= this.cost[column])))
        continue;
      if (!known) {
        this.state[column] = 1;
        seen.push(column);
      }
      this.lost[column] = newLost;
      this.cost[column] = newCost;
      this.cameBy[column] = edge;
      heap.push(newLost, newCost, column);
    }
  }

  /** @param {Heap} heap @returns {number} the column to look at next, -1 if there is none */
  nearest(heap) {
    while (heap.size) {
      const column = heap.column();
      const fresh = heap.isAt(this.lost, this.cost);
      if (this.state[column] === 1 && fresh) return column;
      heap.pop();
    }
    return -1;
  }

  /** @param {number} source @param {number[]} final @param {number} lost @param {number} cost */
  raise(source, final, lost, cost) {
    this.rowLost[source] += lost;
    this.rowCost[source] += cost;
    for (const column of final) {
      const row = this.graph.rows[this.edgeOfColumn[column]];
      this.rowLost[row] += lost - this.lost[column];
      this.rowCost[row] += cost - this.cost[column];
      this.columnLost[column] -= lost - this.lost[column];
      this.columnCost[column] -= cost - this.cost[column];
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

/** A binary heap of columns by lost pairs, then cost. */
class Heap {
  constructor() {
    /** @type {number[]} */ this.items = []; // lost, cost, column, one after the other
    this.size = 0;
  }

  column() {
    return this.items[2];
  }

  /** @param {Float64Array} lost @param {Float64Array} cost whether the top is not an older entry of its column */
  isAt(lost, cost) {
    const column = this.items[2];
    return lost[column] === this.items[0] && cost[column] === this.items[1];
  }

  /** @param {number} i @param {number} j */
  less(i, j) {
    const a = this.items;
    return a[3 * i] < a[3 * j] || (a[3 * i] === a[3 * j] && a[3 * i + 1] < a[3 * j + 1]);
  }

  /** @param {number} i @param {number} j */
  swap(i, j) {
    const a = this.items;
    for (let k = 0; k < 3; k++) [a[3 * i + k], a[3 * j + k]] = [a[3 * j + k], a[3 * i + k]];
  }

  /** @param {number} lost @param {number} cost @param {number} column */
  push(lost, cost, column) {
    this.items.push(lost, cost, column);
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.less(at, parent)) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  pop() {
    this.swap(0, --this.size);
    this.items.length = 3 * this.size;
    let at = 0;
    for (;;) {
      let smallest = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.size && this.less(child, smallest)) smallest = child;
      }
      if (smallest === at) return;
      this.swap(at, smallest);
      at = smallest;
    }
  }
}
