/** Runs BACKUP_COMMAND, which passes a backup on to another machine. */
import { type BackupSettings, isPassedOn } from '#runtime/settings/backup-settings.ts';
import { redactText } from '#runtime/tracing/log-redaction.ts';

export const backupCommandMaxMs = 30 * 60_000;
const shownMax = 300;
const readMax = 4_000;
/** What the command leaves running may keep its error output open for ever. */
const lastWordsMs = 500;
const pathName = 'BACKUP_FILE';
/** What a login sets. The hub's own variables hold its keys and the addresses of its stores. */
const commonVariables = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];

/**
 * The command gets the path in BACKUP_FILE, and as its last argument if it does not name the variable.
 *
 * @param ending aborts when the command must end, because it has taken its time or the process stops
 * @returns null if it succeeded, otherwise what went wrong
 */
export async function runBackupCommand(
  { command, commandVariables }: Pick<BackupSettings, 'commandVariables'> & { readonly command: string },
  file: string,
  ending: AbortSignal,
): Promise<string | null> {
  const text = command.includes(pathName) ? command : `${command} "$${pathName}"`;
  const child = Bun.spawn(['/bin/sh', '-c', text], {
    env: { ...variablesOf([...commonVariables, ...commandVariables]), [pathName]: file },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    // The leader of a group, so that all of it can be ended: the shell may have started other programs.
    detached: true,
  });
  const end = (): void => killGroup(child.pid);
  ending.addEventListener('abort', end);
  if (ending.aborted) end();
  const [said, exitCode] = await Promise.all([lastWords(child), child.exited]);
  ending.removeEventListener('abort', end);
  if (exitCode === 0) return null;
  const how = howItEnded(child, ending);
  const last = redactText(said.trim()).replaceAll(/\s+/g, ' ').slice(-shownMax);
  return last === '' ? `${how}.` : `${how}: ${last}`;
}

function variablesOf(names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([variable]) => isPassedOn(variable, names)));
}

function howItEnded({ exitCode, signalCode }: Bun.Subprocess, ending: AbortSignal): string {
  if (signalCode === null) return `BACKUP_COMMAND ended with ${exitCode}`;
  if (ending.aborted) return `BACKUP_COMMAND was ended after ${backupCommandMaxMs / 60_000} minutes`;
  return `BACKUP_COMMAND was ended by ${signalCode}`;
}

function killGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, 'SIGKILL');
  } catch {
    // Already ended.
  }
}

/** Keeps little, but reads until the command has ended, which would otherwise wait for a reader. */
async function lastWords({ stderr, exited }: Bun.Subprocess<'ignore', 'ignore', 'pipe'>): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stderr.getReader();
  const stopReading = async (): Promise<void> => {
    await exited;
    await Bun.sleep(lastWordsMs);
    await reader.cancel();
  };
  void stopReading();
  let last = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    last = (last + decoder.decode(read.value, { stream: true })).slice(-readMax);
  }
  return last;
}
