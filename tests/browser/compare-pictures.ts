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
  if (one.width !== two.width || one.height !== two.height) return 1;
  let differing = 0;
  for (let i = 0; i < one.data.length; i += 4) {
    const distance = Math.abs(one.data[i] - two.data[i]) + Math.abs(one.data[i + 1] - two.data[i + 1]) + Math.abs(one.data[i + 2] - two.data[i + 2]);
    if (distance > 60) differing++;
  }
  return differing / (one.data.length / 4);
}`;

/** The share of pixels that clearly differ between two pictures; 1 when they are not even the same size. */
export function differingShare(page: Page, one: Buffer, two: Buffer): Promise<number> {
  return page.evaluate<number>(
    `(${COMPARE})(${JSON.stringify([one.toString("base64"), two.toString("base64")])})`,
  );
}
