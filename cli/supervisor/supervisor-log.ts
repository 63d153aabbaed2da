/**
 * The supervisor's own lines, in the form that the processes it runs log in, without their logger: that would make up a
 * third of the supervisor's memory, and what is written here is made up here and holds no secret.
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
    ? `[${time.toTimeString().slice(0, 8)}] ${level.toUpperCase()} (supervisor): ${message}${details(fields)}`
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

function details(fields: object): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? '' : ` ${pairs.join(' ')}`;
}
