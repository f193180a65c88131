// Where things are: bytes and UTF-16 units, and lines of what is put before the file.

/** The positions, in UTF-16 units, of offsets in the UTF-8 form of a text. */
export function positions(text: string, offsets: readonly number[]): Map<number, number> {
  const found = new Map<number, number>();
  let [unit, byte] = [0, 0];
  for (const offset of offsets.toSorted((a, b) => a - b)) {
    while (byte < offset && unit < text.length) {
      const code = text.codePointAt(unit) ?? 0;
      unit += code > 0xffff ? 2 : 1;
      byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    }
    found.set(offset, unit);
  }
  return found;
}

/** The number of line ends of a text. */
export function lineEnds(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0;
}
