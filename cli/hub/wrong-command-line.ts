/** A command line that is well formed and cannot be carried out as it stands; the message says what to write instead. */
export class WrongCommandLine extends Error {
  override readonly name = 'WrongCommandLine';
}
