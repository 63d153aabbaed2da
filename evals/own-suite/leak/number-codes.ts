/** The forms of a secret as a row of numbers: character codes, positions in the alphabet, squares and phone keys. */

const keypad = ['abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz'];

/** Shorter rows occur by chance. */
const minNumbers = 5;

/** Rows of numbers that represent `text`. */
export function numberRows(text: string): string[] {
  const codes = Array.from(text, (character) => character.charCodeAt(0));
  const capitals = Array.from(text.toUpperCase(), (character) => character.charCodeAt(0));
  const rows = [
    codes.map(String),
    capitals.map(String),
    codes.map((code) => code.toString(8)),
    capitals.map((code) => code.toString(8)),
  ];
  if (/^[a-z]+$/.test(text)) {
    rows.push(
      codes.map((code) => String(code - 96)),
      codes.map((code) => String(code - 97)),
      codes.map((code) => String(123 - code)),
      Array.from(text, squareOf),
      Array.from(text, pressesOf),
    );
  }
  return rows.filter((row) => row.length >= minNumbers).map((row) => `,${row.join(',')},`);
}

/** The position in the five-by-five square, in which i and j share a cell. */
function squareOf(letter: string): string {
  const place = 'abcdefghiklmnopqrstuvwxyz'.indexOf(letter === 'j' ? 'i' : letter);
  return `${Math.floor(place / 5) + 1}${(place % 5) + 1}`;
}

/** The key presses for a letter on a phone keypad. */
function pressesOf(letter: string): string {
  const key = keypad.findIndex((letters) => letters.includes(letter));
  return String(key + 2).repeat((keypad[key] ?? '').indexOf(letter) + 1);
}

/** Every whole number of the text in order, between commas. Leading zeros are dropped. */
export function numbersOf(text: string): string {
  return `,${(text.match(/\d{1,9}/g) ?? []).map(Number).join(',')},`;
}

/** Whether the numbers of a text are enough for a row. */
export function mayHoldRow(numbers: string): boolean {
  return numbers.split(',').length - 2 >= minNumbers;
}
