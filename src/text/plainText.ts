/**
 * Characters that a terminal obeys instead of showing (all controls but tab and line feed) and the marks that turn the direction of
 * text: in entries that people or other programs wrote they could hide or fake a line.
 */
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Anything that one of these functions changes; nearly no text has any. */
const SUSPECT = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** A text without characters that are obeyed instead of shown; line breaks and tabs stay. */
export function plainBlock(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(OBEYED, '');
}

/** The same on one line: a line break in a name must not begin a line that looks like another entry. */
export function plainLine(text: string): string {
  if (!SUSPECT.test(text)) return text.trim();
  return plainBlock(text)
    .replace(/\s*[\n\u2028\u2029\u0085]\s*/g, ' ')
    .trim();
}
