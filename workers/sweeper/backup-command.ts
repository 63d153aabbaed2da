/** Runs BACKUP_COMMAND, which passes a backup on to another machine. */
import { type BackupSettings, isPassedOn } from '#runtime/settings/backup-settings.ts';
import { redactText } from '#runtime/tracing/log-redaction.ts';

const timeoutMs = 30 * 60_000;
const shownMax = 300;
const readMax = 4_000;
const pathName = 'BACKUP_FILE';
/** What a login sets. The hub's own variables hold its keys and the addresses of its stores. */
const commonVariables = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];

/**
 * The command gets the path in BACKUP_FILE, and as its last argument if it does not name the variable.
 *
 * @returns null if it succeeded, otherwise what went wrong
 */
export async function runBackupCommand(
  { command, commandVariables }: Pick<BackupSettings, 'commandVariables'> & { readonly command: string },
  file: string,
  stopping: AbortSignal,
): Promise<string | null> {
  const text = command.includes(pathName) ? command : `${command} "$${pathName}"`;
  const child = Bun.spawn(['/bin/sh', '-c', text], {
    env: { ...variablesOf([...commonVariables, ...commandVariables]), [pathName]: file },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    signal: stopping,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const [said, exitCode] = await Promise.all([lastWords(child.stderr), child.exited]);
  if (exitCode === 0) return null;
  const how =
    child.signalCode === null
      ? `BACKUP_COMMAND ended with ${exitCode}`
      : `BACKUP_COMMAND was ended by ${child.signalCode}`;
  const last = redactText(said.trim()).replaceAll(/\s+/g, ' ').slice(-shownMax);
  return last === '' ? `${how}.` : `${how}: ${last}`;
}

function variablesOf(names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([variable]) => isPassedOn(variable, names)));
}

/** Reads to the end, so that the command never waits for a reader, and keeps little. */
async function lastWords(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let last = '';
  for await (const bytes of stream) last = (last + decoder.decode(bytes, { stream: true })).slice(-readMax);
  return last;
}
