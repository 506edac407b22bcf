/** The smallest tar that holds plain files: enough for a build's context. */
export function tarOf(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const bytes = Buffer.from(content);
    return [
      headerOf(name, bytes.length),
      bytes,
      Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK),
    ];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

const BLOCK = 512;

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number): string =>
    `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(name.slice(0, 99), 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(0, 12), 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(octal(sum, 7), 148);
  return header;
}
