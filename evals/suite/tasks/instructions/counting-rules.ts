/** The explanation of how words are counted, in every task of this category. */
export const countingRules =
  'A word is whatever stands between two spaces, and a number is a word too. Small and capital letters are the same letter unless a rule speaks of capitals. The text need not make sense or name the place, but repeating a few words does not count as one.';
