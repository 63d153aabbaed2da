/** A command line that parses but cannot be run; the message says what to write instead. */
export class WrongCommandLine extends Error {
  override readonly name = 'WrongCommandLine';
}
