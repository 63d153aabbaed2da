/** Agents that are programs: started for each case, or once and fed with JSON lines. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import type { EvalCase } from '../evaluate.ts';
import type { Reply } from '../serve-agent.ts';

/** Why a program has not replied to a case. */
export class ProgramFault extends Error {
  override readonly name = 'ProgramFault';
}

/** The agent cannot reply to any further case. */
export class ProgramGone extends ProgramFault {}

export interface ProgramAgent {
  /** @throws ProgramFault */
  answer(prompt: string, evalCase: EvalCase): Promise<Reply>;
  /** Ends every process that is left. */
  close(): void;
}

interface ProgramOptions {
  readonly command: string;
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** As many as the hub accepts. */
const replyBytesMax = 256 * 1024;
const complaintCharacters = 2_000;
/** Exit codes of `sh` for a program that it cannot start. */
const notStarted = [126, 127];

/**
 * Finds a misspelt program before a run is spent on it. Only simple commands are checked; `sh` reports the others.
 * @throws ProgramGone
 */
export function requireProgram({
  command,
  environment,
}: Pick<ProgramOptions, 'command' | 'environment'>): void {
  const [, program] = /^([\w./-]+)(?:\s|$)/.exec(command) ?? [];
  if (program === undefined) return;
  const { status } = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program], {
    env: environment,
    stdio: 'ignore',
  });
  if (status !== 0)
    throw new ProgramGone(`The program \`${program}\` of --cmd was not found. Check its name and PATH.`);
}

/** Leads a process group of its own, so that its children end with it. */
function start(command: string, environment: ProgramOptions['environment']): ChildProcess {
  const child = spawn('sh', ['-c', command], { env: environment, stdio: 'pipe', detached: true });
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

function collectComplaints(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-complaintCharacters);
  });
  return () => text.trim().split('\n').at(-1)?.trim() ?? '';
}

function endedWith(code: number | null, signal: string | null, complaint: string): string {
  const end = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  return `The program ${end}${complaint === '' ? '.' : `: ${complaint}`}`;
}

/**
 * The prompt goes to stdin, and stdout is the reply. A case with tools goes to stdin as JSON, and the program may print
 * `{"tool_calls": […]}`.
 */
export function startEachTime({ command, timeoutSeconds, environment }: ProgramOptions): ProgramAgent {
  const running = new Set<ChildProcess>();
  let closed = false;
  return {
    answer: (prompt, evalCase) =>
      new Promise((resolve, reject) => {
        if (closed) throw new ProgramGone('The program was ended.');
        const child = start(command, environment);
        running.add(child);
        const complaint = collectComplaints(child);
        const chunks: Buffer[] = [];
        let bytes = 0;
        let fault: ProgramFault | null = null;
        const stop = (reason: string): void => {
          fault ??= new ProgramFault(reason);
          endGroup(child);
        };
        const timer = setTimeout(
          () => stop(`The program took longer than ${timeoutSeconds} s (--timeout).`),
          timeoutSeconds * 1_000,
        );
        child.stdout?.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= replyBytesMax) chunks.push(chunk);
          else stop(`The program printed more than ${replyBytesMax} bytes.`);
        });
        child.once('error', (error) => reject(new ProgramGone(`--cmd did not start: ${error.message}.`)));
        // What it leaves behind would keep its output open.
        child.once('exit', () => endGroup(child));
        child.once('close', (code, signal) => {
          clearTimeout(timer);
          running.delete(child);
          if (fault !== null) reject(fault);
          else if (code === 0) resolve(replyOf(Buffer.concat(chunks), evalCase));
          else {
            const Fault = code !== null && notStarted.includes(code) ? ProgramGone : ProgramFault;
            reject(new Fault(endedWith(code, signal, complaint())));
          }
        });
        child.stdin?.end(hasTools(evalCase) ? lineOf(prompt, evalCase) : prompt);
      }),
    close: () => {
      closed = true;
      running.forEach(endGroup);
    },
  };
}

/** Without the last line break, which programs add. A reply cannot contain NUL. */
function replyOf(bytes: Buffer, evalCase: EvalCase): Reply {
  const text = cleanText(bytes.toString('utf8').replace(/\r?\n$/, ''));
  return (hasTools(evalCase) ? readCalls(text) : null) ?? { text };
}

function hasTools({ tools }: EvalCase): boolean {
  return tools !== undefined && tools.length > 0;
}

/** @returns null for a text */
function readCalls(printed: string): Reply | null {
  try {
    const { text, tool_calls: calls, usage } = JSON.parse(printed) as Partial<Record<keyof Reply, unknown>>;
    if (!Array.isArray(calls) || calls.length === 0 || (text != null && typeof text !== 'string'))
      return null;
    return { text: text ?? '', tool_calls: calls, ...(usage == null ? {} : { usage }) };
  } catch {
    return null;
  }
}

/** What a program reads of a case. */
function lineOf(prompt: string, { case_id, step, messages, system, tools }: EvalCase): string {
  const more = { ...(system == null ? {} : { system }), ...(tools == null ? {} : { tools }) };
  return JSON.stringify({ case_id, trial: trialOf(case_id), step, prompt, messages, ...more });
}

function cleanText(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (fault: ProgramFault) => void;
}

/** Both directions are JSON lines; replies may come in any order. */
export function startOnce({ command, timeoutSeconds, environment }: ProgramOptions): ProgramAgent {
  const child = start(command, environment);
  const complaint = collectComplaints(child);
  const waiting = new Map<string, Waiting>();
  let gone: ProgramGone | null = null;
  const leave = (reason: string): void => {
    gone ??= new ProgramGone(reason);
    endGroup(child);
    for (const { reject } of waiting.values()) reject(gone);
    waiting.clear();
  };
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) takeLine(line);
    if (text.length > replyBytesMax)
      leave(`The program printed a line of more than ${replyBytesMax} characters.`);
  });
  const takeLine = (line: string): void => {
    if (line.trim() === '') return;
    const reply = readReply(line);
    if (reply === null) {
      const form = '{"case_id": "…", "text": "…"}';
      return leave(
        `With --serve, every line that the program prints must be JSON such as ${form}, but one is ${line.slice(0, 100)}`,
      );
    }
    const asked = waiting.get(reply.caseId);
    if (reply.reply instanceof ProgramFault) asked?.reject(reply.reply);
    else asked?.resolve(reply.reply);
  };
  child.once('error', (error) => leave(`--cmd did not start: ${error.message}.`));
  child.once('close', (code, signal) => leave(endedWith(code, signal, complaint())));
  return {
    answer: async (prompt, evalCase) => {
      if (gone !== null) throw gone;
      const { case_id } = evalCase;
      const timer = setTimeout(
        () =>
          waiting
            .get(case_id)
            ?.reject(new ProgramFault(`The program took longer than ${timeoutSeconds} s (--timeout).`)),
        timeoutSeconds * 1_000,
      );
      try {
        return await new Promise<Reply>((resolve, reject) => {
          waiting.set(case_id, { resolve, reject });
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

/** With several trials, the id of a case ends with the number of the trial. */
function trialOf(caseId: string): number {
  return Number(/\/(\d+)$/.exec(caseId)?.[1] ?? 1);
}

const noText = 'The program printed a line without `text`.';

function readReply(line: string): { readonly caseId: string; readonly reply: Reply | ProgramFault } | null {
  try {
    const value = JSON.parse(line) as Record<string, unknown> | null;
    const { case_id: caseId, text, tool_calls, usage, error } = value ?? {};
    if (typeof caseId !== 'string' || (text != null && typeof text !== 'string')) return null;
    if (text == null && !(Array.isArray(tool_calls) && tool_calls.length > 0))
      return { caseId, reply: new ProgramFault(typeof error === 'string' ? error : noText) };
    const more = { ...(tool_calls == null ? {} : { tool_calls }), ...(usage == null ? {} : { usage }) };
    return { caseId, reply: { text: cleanText(text ?? ''), ...more } };
  } catch {
    return null;
  }
}
