/**
 * The supervisor's log lines, in the format of the processes it runs. It does not use their logger, which
 * would take a third of the supervisor's memory. Nothing logged here is secret, so no redaction is needed.
 */

type Level = 'info' | 'warn' | 'error';

export interface SupervisorLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const supervisorLog: SupervisorLog = {
  info: (fields, message) => write('info', fields, message),
  warn: (fields, message) => write('warn', fields, message),
  error: (fields, message) => write('error', fields, message),
};

function write(level: Level, fields: object, message: string): void {
  const time = new Date();
  const line = process.stdout.isTTY
    ? readableLine({ level, time, fields, message }, Bun.enableANSIColors)
    : JSON.stringify({
        level,
        time: time.toISOString(),
        pid: process.pid,
        name: 'supervisor',
        ...fields,
        msg: message,
      });
  console.log(line);
}

export interface SupervisorLine {
  readonly level: Level;
  readonly time: Date;
  readonly fields: object;
  readonly message: string;
}

/** ANSI colours, as the logger of the other processes uses them. */
const levelColours = { info: 32, warn: 33, error: 31 } as const satisfies Record<Level, number>;
const messageColour = 36;
const fieldsColour = 90;

/** Formats a line for a terminal, as the logger of the other processes would. */
export function readableLine({ level, time, fields, message }: SupervisorLine, isColoured: boolean): string {
  const inColour = (code: number, text: string) => (isColoured ? `\x1b[${code}m${text}\x1b[39m` : text);
  const clock = `${time.toTimeString().slice(0, 8)}.${String(time.getMilliseconds()).padStart(3, '0')}`;
  const name = inColour(levelColours[level], level.toUpperCase());
  const details =
    Object.keys(fields).length === 0 ? '' : ` ${inColour(fieldsColour, JSON.stringify(fields))}`;
  return `[${clock}] ${name} (supervisor): ${inColour(messageColour, message)}${details}`;
}
