/** Agents that are programs: started for each case, or once and fed with JSON lines. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import type { EvalCase } from '../evaluate.ts';
import { type Reply, unreadCalls } from '../reply-fields.ts';
import type { Environment } from './options.ts';
import { redactor, withoutColours } from './printed.ts';
import {
  cleanText,
  hasImages,
  hasTools,
  lineOf,
  ProgramFault,
  ProgramGone,
  readCalls,
  readReply,
  transcriptOf,
} from './program-texts.ts';

export interface ProgramAgent {
  /** @throws ProgramFault */
  answer(prompt: string, evalCase: EvalCase): Promise<Reply>;
  /** Ends every process that is left. */
  close(): void;
}

interface ProgramOptions {
  readonly command: string;
  /** Where it runs; by default, where this command does. */
  readonly folder?: string | undefined;
  /** For each reply; null for what the case says. */
  readonly timeoutSeconds: number | null;
  readonly environment: Environment;
}

/** They have no business with the hub, the target, the judges and the traces. */
const hiddenNames = ['HUB_TOKEN', 'HUB_KEY', 'TARGET_HEADERS', 'JUDGE_HEADERS', 'TRACE_HEADERS'];

/** What programs may see of the environment. */
export function environmentOf(environment: Environment, token: string): Environment {
  const own = Object.entries(environment).filter(
    ([name, value]) => !hiddenNames.includes(name) && value?.includes(token) !== true,
  );
  return Object.fromEntries(own);
}

/** As many as the hub accepts. */
const replyBytesMax = 256 * 1024;
const complaintCharacters = 2_000;
const shownLineMax = 100;
/** When a program has ended, its output is read until nothing comes for this time. */
const lookMs = 1_000;
/** Exit codes of `sh` for a program that it cannot start. */
const notStarted = [126, 127];

/**
 * Finds a misspelt program before a run is spent on it. Only simple commands are checked; `sh` reports the others.
 * @param name of the flag or the judge that has the command
 * @throws ProgramGone
 */
export function requireProgram(
  { command, environment, folder }: Pick<ProgramOptions, 'command' | 'environment' | 'folder'>,
  name = '--cmd',
): void {
  const [, program = 'sh'] = /^([\w./-]+)(?:\s|$)/.exec(command) ?? [];
  const { status, error } = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program], {
    env: environment,
    cwd: folder,
    stdio: 'ignore',
  });
  if (error !== undefined) throw new ProgramGone(noShell(error.message));
  if (status !== 0)
    throw new ProgramGone(`The program \`${program}\` of ${name} was not found. Check its name and PATH.`);
}

function noShell(reason: string): string {
  return `Programs need \`sh\`, which did not start: ${reason}. Install a POSIX shell and put it on the PATH; on Windows, use WSL.`;
}

/**
 * What Node gives a child is a socket, which cannot be opened as `/dev/stdin`. The shell does not wait for `cat`, which
 * ends with the group.
 */
const throughPipe = 'exec 3<&0; { cat <&3 3<&- & } | sh -c "$0" 3<&-';

/**
 * Leads a process group of its own, so that its children end with it.
 * @param script that runs the command as its `$0`
 */
function start(
  { command, environment, folder }: Omit<ProgramOptions, 'timeoutSeconds'>,
  ...script: readonly string[]
): ChildProcess {
  const given = { env: environment, cwd: folder, stdio: 'pipe', detached: true } as const;
  const child = spawn('sh', ['-c', ...script, command], given);
  // A program need not read its input.
  child.stdin?.on('error', () => undefined);
  return child;
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of its processes have ended.
  }
}

/** The last line that the program wrote to stderr, as reports may show it. */
function collectComplaints(child: ChildProcess, redact: (text: string) => string): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-complaintCharacters);
  });
  return () => redact(withoutColours(text)).trim().split('\n').at(-1)?.trim() ?? '';
}

function endedWith(code: number | null, signal: string | null, complaint: string): string {
  const end = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  return `The program ${end}${complaint === '' ? '.' : `: ${complaint}`}`;
}

const secondsDefault = 60;

function secondsFor({ timeout_s: ofSuite }: EvalCase, chosen: number | null): number {
  return chosen ?? ofSuite ?? secondsDefault;
}

function tooSlow(seconds: number): string {
  return `The program took longer than ${seconds} s (--timeout).`;
}

const busyNote =
  ' Other cases were open before this one: if the program works on one at a time, add --concurrency 1.';

function oddNote(line: string): string {
  const form = '{"case_id": "…", "text": "…"}';
  return line === '' ? '' : ` With --serve, each reply is a line such as ${form}, but one is ${line}`;
}

export interface Program {
  /**
   * Starts it once.
   * @returns what it prints, without the last line break, which programs add
   * @throws ProgramFault
   */
  print(input: string, seconds: number): Promise<string>;
  /** Ends every process that is left. */
  close(): void;
}

export function programOf({ command, environment, folder }: Omit<ProgramOptions, 'timeoutSeconds'>): Program {
  const running = new Set<ChildProcess>();
  const redact = redactor(environment);
  let closed = false;
  return {
    print: (input, seconds) =>
      new Promise((resolve, reject) => {
        if (closed) throw new ProgramGone('The program was ended.');
        const child = start({ command, environment, folder }, throughPipe);
        running.add(child);
        const complaint = collectComplaints(child, redact);
        const chunks: Buffer[] = [];
        let bytes = 0;
        let fault: ProgramFault | null = null;
        const stop = (reason: string): void => {
          fault ??= new ProgramFault(reason);
          endGroup(child);
        };
        const timer = setTimeout(() => stop(tooSlow(seconds)), seconds * 1_000);
        child.stdout?.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= replyBytesMax) chunks.push(chunk);
          else stop(`The program printed more than ${replyBytesMax} bytes.`);
        });
        child.once('error', (error) => reject(new ProgramGone(noShell(error.message))));
        let leaving: ReturnType<typeof setInterval> | undefined;
        child.once('exit', () => {
          endGroup(child);
          // What has left the group may keep its output open, and print on.
          let read = -1;
          leaving = setInterval(() => {
            if (bytes > read && fault === null) read = bytes;
            else for (const output of [child.stdout, child.stderr]) output?.destroy();
          }, lookMs);
        });
        child.once('close', (code, signal) => {
          clearTimeout(timer);
          clearInterval(leaving);
          running.delete(child);
          if (fault !== null) reject(fault);
          else if (code === 0)
            resolve(
              Buffer.concat(chunks)
                .toString('utf8')
                .replace(/\r?\n$/, ''),
            );
          else {
            const Fault = code !== null && notStarted.includes(code) ? ProgramGone : ProgramFault;
            reject(new Fault(endedWith(code, signal, complaint())));
          }
        });
        child.stdin?.end(input);
      }),
    close: () => {
      closed = true;
      running.forEach(endGroup);
    },
  };
}

/**
 * The prompt goes to stdin, below the instructions and the earlier turns of its case if it has some, and stdout is the
 * reply. A case with tools or images goes to stdin as JSON, and the program may print `{"tool_calls": […]}`.
 */
export function startEachTime({ timeoutSeconds, ...options }: ProgramOptions): ProgramAgent {
  const program = programOf(options);
  return {
    answer: async (prompt, evalCase) => {
      const isText = !hasTools(evalCase) && !evalCase.messages.some(hasImages);
      const input = isText ? transcriptOf(prompt, evalCase) : lineOf(prompt, evalCase);
      const text = cleanText(await program.print(input, secondsFor(evalCase, timeoutSeconds)));
      return (hasTools(evalCase) ? readCalls(text) : null) ?? { text };
    },
    close: () => program.close(),
  };
}

interface Waiting {
  readonly hasTools: boolean;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (fault: ProgramFault) => void;
}

/** Both directions are JSON lines; replies may come in any order. */
export function startOnce({ timeoutSeconds, ...options }: ProgramOptions): ProgramAgent {
  const child = start(options);
  const redact = redactor(options.environment);
  const complaint = collectComplaints(child, redact);
  const waiting = new Map<string, Waiting>();
  let gone: ProgramGone | null = null;
  const leave = (reason: string): void => {
    gone ??= new ProgramGone(reason);
    endGroup(child);
    for (const { reject } of waiting.values()) reject(gone);
    waiting.clear();
  };
  let text = '';
  let isSkipping = false;
  /** The last line that was no reply. */
  let oddLine = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    if (isSkipping && !chunk.includes('\n')) return;
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    // The rest of a line that was too long.
    if (isSkipping) lines.shift();
    isSkipping = false;
    for (const line of lines) takeLine(line);
    if (text.length <= replyBytesMax) return;
    takeLine(text);
    text = '';
    isSkipping = true;
  });
  /** A line that is no reply is an error of the case that it names. Other programs write their logs to stdout. */
  const refuseLine = (line: string, reason: string): void => {
    oddLine = redact(withoutColours(line)).slice(0, shownLineMax);
    for (const [, caseId = ''] of line.matchAll(/["']case_id["']\s*:\s*["']([^"'\\]{1,200})["']/g))
      waiting.get(caseId)?.reject(new ProgramFault(reason));
  };
  const takeLine = (given: string): void => {
    if (given.length > replyBytesMax)
      return refuseLine(given, `The program printed a line of more than ${replyBytesMax} characters.`);
    // Progress bars return to the start of their line.
    const line = given.trim().split('\r').at(-1) ?? '';
    if (line === '') return;
    const reply = readReply(line);
    if (reply === 'log') return;
    if (reply === null) return refuseLine(line, 'The program printed a line that is not JSON.');
    const asked = waiting.get(reply.caseId);
    if (reply.reply instanceof ProgramFault) asked?.reject(reply.reply);
    else if (asked?.hasTools === true && reply.isUnread === true) asked.reject(new ProgramFault(unreadCalls));
    else asked?.resolve(reply.reply);
  };
  child.once('error', (error) => leave(noShell(error.message)));
  child.once('close', (code, signal) => {
    takeLine(text);
    leave(endedWith(code, signal, complaint()));
  });
  return {
    answer: async (prompt, evalCase) => {
      if (gone !== null) throw gone;
      const { case_id } = evalCase;
      const seconds = secondsFor(evalCase, timeoutSeconds);
      const slow = `${tooSlow(seconds)}${waiting.size === 0 ? '' : busyNote}`;
      const refuse = (): void => waiting.get(case_id)?.reject(new ProgramFault(`${slow}${oddNote(oddLine)}`));
      const timer = setTimeout(refuse, seconds * 1_000);
      try {
        return await new Promise<Reply>((resolve, reject) => {
          waiting.set(case_id, { resolve, reject, hasTools: hasTools(evalCase) });
          child.stdin?.write(`${lineOf(prompt, evalCase)}\n`);
        });
      } finally {
        clearTimeout(timer);
        waiting.delete(case_id);
      }
    },
    close: () => leave('The program was ended.'),
  };
}
