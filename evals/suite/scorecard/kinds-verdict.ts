/** One sentence about the difference between the public and the private kinds of a run. */
export function kindsVerdict(gap: boolean, p: number | null): string {
  const shown = p === null ? '' : ` (Fisher's exact test, p ${p < 0.001 ? 'below 0.001' : `= ${p}`})`;
  return gap
    ? `A gap: the agent does significantly better on the public kinds${shown}. It may have been built around them.`
    : `No significant gap${shown}.`;
}
