/** The lowest contrast of text with its background (WCAG 2.2, 1.4.3). */
const minContrast = 4.5;

/** The relative luminance of '#rrggbb', 0 to 1 (WCAG 2.2). */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Whether white text can be read on a color ('#rrggbb'). */
export const isReadableWithWhite = (color: string): boolean => 1.05 / (luminanceOf(color) + 0.05) >= minContrast;
