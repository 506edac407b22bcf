import type { Page } from "playwright-core";

const COMPARE = `async ([a, b]) => {
  const pixels = async (data) => {
    const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64," + data)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const [one, two] = [await pixels(a), await pixels(b)];
  if (one.width !== two.width || one.height !== two.height) return { whole: 1, worst: 1 };
  const CELL = 64;
  const columns = Math.ceil(one.width / CELL);
  const cells = new Float64Array(columns * Math.ceil(one.height / CELL));
  let differing = 0;
  for (let i = 0; i < one.data.length; i += 4) {
    const distance = Math.abs(one.data[i] - two.data[i]) + Math.abs(one.data[i + 1] - two.data[i + 1]) + Math.abs(one.data[i + 2] - two.data[i + 2]);
    if (distance <= 60) continue;
    differing++;
    const pixel = i / 4;
    const row = Math.floor(pixel / one.width);
    cells[Math.floor(row / CELL) * columns + Math.floor((pixel % one.width) / CELL)]++;
  }
  return { whole: differing / (one.data.length / 4), worst: Math.max(...cells) / (CELL * CELL) };
}`;

export interface Difference {
  /** The share of pixels that clearly differ, over the whole picture. */
  readonly whole: number;
  /** The same in the square, 64 pixels wide, that differs most: a small thing that is gone shows here. */
  readonly worst: number;
}

/** How much two pictures differ; wholly when they are not even the same size. */
export function difference(page: Page, one: Buffer, two: Buffer): Promise<Difference> {
  return page.evaluate<Difference>(
    `(${COMPARE})(${JSON.stringify([one.toString("base64"), two.toString("base64")])})`,
  );
}
