/**
 * A layered layout in plain numbers, left to right: longest-path ranks, dummies on long edges, barycentre sweeps for the
 * order inside a rank, and heights by pool-adjacent-violators. Milliseconds at 1,000 nodes.
 */
export interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** What stands to the left of it; ids that are not in the layout are passed over. */
  readonly after: readonly string[];
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly places: ReadonlyMap<string, Place>;
  readonly width: number;
  readonly height: number;
}

export interface LayeredOptions {
  readonly gapX: number;
  readonly gapY: number;
  /** Heights of an earlier layout: who was above stays above where it costs nothing. */
  readonly previous?: ReadonlyMap<string, Place>;
  /** Ranks given from outside, where several layouts share their columns. */
  readonly ranks?: ReadonlyMap<string, number>;
}

interface Vertex {
  readonly id: string | null;
  readonly height: number;
  readonly rank: number;
  readonly left: Vertex[];
  readonly right: Vertex[];
  order: number;
  y: number;
  /** Where its neighbours would have it, while a layer is put in order. */
  wish: number;
}

const LONGEST_CHAIN = 12;
/** Many edges share so many dummies: five thousand tasks are laid out within a few frames, however tangled they are. */
const DUMMIES = 30_000;
const SWEEPS = 6;

export function layered(boxes: readonly Box[], options: LayeredOptions): Layout {
  const ranks = options.ranks ?? rankBoxes(boxes);
  const layers = buildLayers(boxes, ranks, options);
  for (let i = 0; i < SWEEPS; i++) sweep(layers, i % 2 === 0);
  placeHeights(layers, options.gapY);
  return collect(boxes, layers, ranks, options);
}

/** Every box one column right of the last one it stands after; a start is pulled next to what needs it. */
export function rankBoxes(boxes: readonly Box[]): Map<string, number> {
  const known = new Map(boxes.map((box) => [box.id, box]));
  const next = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const { id, after } of boxes) {
    const real = [...new Set(after)].filter((other) => known.has(other) && other !== id);
    open.set(id, real.length);
    for (const other of real) append(next, other, id);
  }
  const ranks = new Map<string, number>();
  const queue = boxes.filter((box) => open.get(box.id) === 0).map((box) => box.id);
  for (const id of queue) ranks.set(id, 0);
  for (const id of queue) {
    for (const later of next.get(id) ?? []) {
      ranks.set(later, Math.max(ranks.get(later) ?? 0, (ranks.get(id) ?? 0) + 1));
      const left = (open.get(later) ?? 1) - 1;
      open.set(later, left);
      if (left === 0) queue.push(later);
    }
  }
  for (const { id } of boxes) if (!ranks.has(id)) ranks.set(id, 0); // a cycle: drawn, if not prettily
  tighten(boxes, known, next, ranks);
  return ranks;
}

function tighten(
  boxes: readonly Box[],
  known: ReadonlyMap<string, Box>,
  next: ReadonlyMap<string, string[]>,
  ranks: Map<string, number>,
): void {
  const alone: string[] = [];
  for (const { id, after } of boxes) {
    if (after.some((other) => known.has(other))) continue;
    const later = next.get(id);
    if (later === undefined) alone.push(id);
    else ranks.set(id, Math.max(0, Math.min(...later.map((l) => ranks.get(l) ?? 0)) - 1));
  }
  // Boxes without any connection fill a block instead of one endless column.
  const columns = Math.max(1, Math.ceil(Math.sqrt(alone.length / 3)));
  alone.forEach((id, i) => ranks.set(id, i % columns));
}

function buildLayers(
  boxes: readonly Box[],
  ranks: ReadonlyMap<string, number>,
  { previous }: LayeredOptions,
): Vertex[][] {
  const layers: Vertex[][] = [];
  const vertices = new Map<string, Vertex>();
  const add = (id: string | null, height: number, rank: number): Vertex => {
    const vertex: Vertex = { id, height, rank, left: [], right: [], order: 0, y: 0, wish: 0 };
    (layers[rank] ??= []).push(vertex);
    return vertex;
  };
  const seeded = previous ? [...boxes].sort((a, b) => seedOf(a) - seedOf(b)) : boxes;
  function seedOf(box: Box): number {
    return previous?.get(box.id)?.y ?? Number.MAX_SAFE_INTEGER;
  }
  for (const box of seeded) vertices.set(box.id, add(box.id, box.height, ranks.get(box.id) ?? 0));
  const edges = boxes.reduce((sum, box) => sum + box.after.length, 0);
  const longest = Math.min(LONGEST_CHAIN, Math.max(2, Math.floor(DUMMIES / edges)));
  for (const box of boxes) {
    const to = vertices.get(box.id);
    for (const other of new Set(box.after)) {
      const from = vertices.get(other);
      if (from && to && from.rank < to.rank) connect(from, to, longest, add);
    }
  }
  for (let i = 0; i < layers.length; i++) layers[i] ??= [];
  for (const layer of layers) layer.forEach((vertex, i) => (vertex.order = i));
  return layers;
}

function connect(
  from: Vertex,
  to: Vertex,
  longest: number,
  add: (id: null, height: number, rank: number) => Vertex,
): void {
  let last = from;
  if (to.rank - from.rank <= longest)
    for (let rank = from.rank + 1; rank < to.rank; rank++) {
      const dummy = add(null, 0, rank);
      link(last, dummy);
      last = dummy;
    }
  link(last, to);
}

function link(left: Vertex, right: Vertex): void {
  left.right.push(right);
  right.left.push(left);
}

/** Orders every layer by the middle of its neighbours, first from the left, then from the right. */
function sweep(layers: Vertex[][], rightwards: boolean): void {
  const order = rightwards ? layers : [...layers].reverse();
  for (const layer of order) {
    for (const v of layer) v.wish = middle(rightwards ? v.left : v.right, orderOf) ?? v.order;
    layer.sort((a, b) => a.wish - b.wish || a.order - b.order);
    layer.forEach((vertex, i) => (vertex.order = i));
  }
}

function middle(vertices: readonly Vertex[], of: (v: Vertex) => number): number | undefined {
  if (vertices.length === 0) return undefined;
  let sum = 0;
  for (const vertex of vertices) sum += of(vertex);
  return sum / vertices.length;
}

const orderOf = (vertex: Vertex): number => vertex.order;
const centre = (vertex: Vertex): number => vertex.y + vertex.height / 2;

function placeHeights(layers: Vertex[][], gap: number): void {
  for (const layer of layers) {
    let y = 0;
    for (const vertex of layer) {
      vertex.y = y;
      y += vertex.height + gap;
    }
  }
  const wishes: ((v: Vertex) => readonly Vertex[])[] = [
    (v) => v.left,
    (v) => v.right,
    (v) => v.left,
    (v) => [...v.left, ...v.right],
  ];
  wishes.forEach((neighbours, i) => {
    for (const layer of i % 2 === 0 ? layers : [...layers].reverse()) {
      const wanted = layer.map((v) => (middle(neighbours(v), centre) ?? centre(v)) - v.height / 2);
      settle(layer, wanted, gap);
    }
  });
}

/**
 * The heights closest to the wanted ones (least squares) that keep the order and the gaps: isotonic regression by
 * pooling neighbours that would overlap.
 */
function settle(layer: readonly Vertex[], wanted: readonly number[], gap: number): void {
  const pools: { sum: number; count: number }[] = [];
  const offsets: number[] = [];
  let offset = 0;
  layer.forEach((vertex, i) => {
    offsets.push(offset);
    let pool = { sum: (wanted[i] ?? 0) - offset, count: 1 };
    for (
      let top = pools.at(-1);
      top && top.sum / top.count > pool.sum / pool.count;
      top = pools.at(-1)
    ) {
      pools.pop();
      pool = { sum: pool.sum + top.sum, count: pool.count + top.count };
    }
    pools.push(pool);
    offset += vertex.height + (vertex.id === null ? gap / 2 : gap);
  });
  let i = 0;
  for (const { sum, count } of pools)
    for (let k = 0; k < count; k++, i++) {
      const vertex = layer[i];
      if (vertex) vertex.y = sum / count + (offsets[i] ?? 0);
    }
}

function collect(
  boxes: readonly Box[],
  layers: readonly Vertex[][],
  ranks: ReadonlyMap<string, number>,
  { gapX }: LayeredOptions,
): Layout {
  const widths: number[] = layers.map(() => 0);
  for (const box of boxes) {
    const rank = ranks.get(box.id) ?? 0;
    widths[rank] = Math.max(widths[rank] ?? 0, box.width);
  }
  const lefts: number[] = [];
  let x = 0;
  for (const width of widths) {
    lefts.push(x);
    x += width + gapX;
  }
  let top = Infinity;
  let bottom = 0;
  for (const layer of layers)
    for (const vertex of layer) {
      if (vertex.id === null) continue;
      top = Math.min(top, vertex.y);
      bottom = Math.max(bottom, vertex.y + vertex.height);
    }
  const places = new Map<string, Place>();
  for (const layer of layers)
    for (const { id, rank, y } of layer)
      if (id !== null) places.set(id, { x: lefts[rank] ?? 0, y: Math.round(y - top) });
  return {
    places,
    width: Math.max(0, x - gapX),
    height: boxes.length === 0 ? 0 : Math.round(bottom - top),
  };
}

function append(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
