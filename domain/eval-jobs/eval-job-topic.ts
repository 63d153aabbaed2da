/** The topic that is signalled whenever an eval job has moved on. */

export function evalJobTopic(evalJobId: string): string {
  return `eval-job.${evalJobId}`;
}
