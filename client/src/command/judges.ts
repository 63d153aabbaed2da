/** Asks the judges of a suite what the hub says, and sends it what they say. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Judgement, JudgementsAccepted, NextJudgements, Run } from '../api-types.ts';
import { practicePrompt, rejectionBy } from '../evaluate.ts';
import { storable } from '../reply-fields.ts';
import { ask, type Connection, NotPossible } from './connection.ts';
import { type AskModel, judgeModel } from './judge-model.ts';
import type { Environment, Options } from './options.ts';
import { commandsIn, withoutEnd } from './own-commands.ts';
import { environmentOf, type Program, programOf, requireProgram } from './programs.ts';
import { cleanText, ProgramFault, ProgramGone } from './program-texts.ts';
import type { Suite } from './run.ts';

type Said =
  | { readonly id: string; readonly replies: readonly string[] }
  | { readonly id: string; readonly error: string };

const fetchedAtOnce = 32;
const sentAtOnce = 8;
/**
 * For all votes on a reply together. Only the last line of what a model says counts, so its beginning may be cut; what a
 * program prints is read whole.
 */
const [replyCharacters, printedCharacters] = [3_000, 8_000];
const reasonCharacters = 250;
const secondsDefault = 120;

const noModel =
  'The suite has judges with a rubric. Add --judge-target URL and --judge-model NAME, or --judge-cmd COMMAND.';

/**
 * Finds what is missing, and tries the model, before a run is spent on it.
 * @param onWait told why a judge is asked again
 * @returns null for a suite without judges
 * @throws NotPossible, ProgramGone, UsageFault
 */
export async function openJudges(
  hub: Connection,
  options: Options,
  environment: Environment,
  { judges: needed }: Suite,
  onWait: (reason: { readonly message: string }) => void,
): Promise<Judges | null> {
  if (needed.length === 0) return null;
  const judges = new Judges(hub, options, environment, onWait);
  // Verdicts of judges that have not changed are kept, so there may be none to ask.
  if (options.regrade !== undefined) return judges;
  for (const { name, kind, command = '' } of needed) if (kind === 'command') judges.programOf(name, command);
  if (needed.some(({ kind }) => kind === 'rubric')) await judges.try();
  return judges;
}

export class Judges {
  readonly #hub: Connection;
  readonly #options: Options;
  readonly #environment: Environment;
  readonly #seconds: number;
  /** Of the user's own file. */
  readonly #commands: ReadonlySet<string>;
  /** By their commands. */
  readonly #programs = new Map<string, Program>();
  readonly #askModel: AskModel;

  constructor(
    hub: Connection,
    options: Options,
    environment: Environment,
    onWait: (reason: { readonly message: string }) => void,
  ) {
    this.#hub = hub;
    this.#options = options;
    this.#environment = environmentOf(environment, hub.token);
    this.#seconds = options.timeout ?? secondsDefault;
    const { 'judge-target': target, 'judge-cmd': command, 'suite-file': file } = options;
    this.#commands = commandsIn(file === undefined ? '' : readFileSync(file, 'utf8'));
    const call = { seconds: this.#seconds, signal: hub.signal, onWait };
    if (target !== undefined) this.#askModel = judgeModel(target, options, environment, call);
    else if (command === undefined) this.#askModel = () => Promise.reject(new NotPossible(noModel));
    else {
      const program = this.#start('--judge-cmd', command);
      this.#askModel = (messages) =>
        program.print(
          messages.map(({ role, content }) => `[${role}]\n${content}`).join('\n\n'),
          this.#seconds,
        );
    }
  }

  #start(name: string, command: string, folder?: string): Program {
    const known = this.#programs.get(command);
    if (known !== undefined) return known;
    const given = { command, folder, environment: this.#environment };
    requireProgram(given, name);
    const program = programOf(given);
    this.#programs.set(command, program);
    return program;
  }

  /**
   * A hub cannot have a command run that the user's own file does not have as a judge.
   * @throws NotPossible, ProgramGone
   */
  programOf(judge: string, command: string): Program {
    const { 'suite-file': file } = this.#options;
    if (file !== undefined && this.#commands.has(withoutEnd(command)))
      return this.#start(`the judge ${judge}`, command, dirname(file));
    throw new NotPossible(
      `The judge ${judge} is the program ${JSON.stringify(command)}. Only programs that a file of yours has as the \`command\` of a judge, on one line or in a block, are run. Add --suite-file FILE.`,
    );
  }

  /** @throws NotPossible */
  async try(): Promise<void> {
    await this.#askModel([{ role: 'user', content: practicePrompt }]).catch((error: unknown) => {
      if (!(error instanceof ProgramFault)) throw error;
      throw new NotPossible(
        `The judge did not reply to a practice prompt, so no run was started. ${error.message}`,
      );
    });
  }

  /** Until each reply of an ended run has its verdicts, or has none after several attempts. */
  async judge({ id }: Run, onProgress: (done: number, total: number) => void): Promise<void> {
    const path = `/v1/runs/${id}/judgements`;
    const { 'judge-model': model, 'judge-cmd': command } = this.#options;
    const by = {
      ...(model === undefined ? {} : { model }),
      ...(command === undefined ? {} : { program: true }),
    };
    let total: number | null = null;
    for (;;) {
      const { judgements: open, remaining: left } = (await ask(
        this.#hub,
        'GET',
        `${path}?limit=${fetchedAtOnce}`,
      )) as NextJudgements;
      if (open.length === 0) return;
      if (total === null) process.stderr.write(`Judging ${left === 1 ? '1 reply' : `${left} replies`}.\n`);
      const all = (total ??= left);
      await this.#judgeAll(open, async (judgements) => {
        const { remaining } = (await ask(this.#hub, 'POST', path, {
          judgements,
          ...by,
        })) as JudgementsAccepted;
        onProgress(all - remaining, all);
      });
    }
  }

  /** What was said before a judge failed is sent as well. */
  async #judgeAll(open: readonly Judgement[], send: (said: readonly Said[]) => Promise<void>): Promise<void> {
    const rest = [...open];
    const said: Said[] = [];
    const failed: unknown[] = [];
    const work = async (): Promise<void> => {
      for (let one = rest.shift(); one !== undefined && failed.length === 0; one = rest.shift()) {
        said.push(await this.#ask(one));
        if (said.length >= sentAtOnce) await send(said.splice(0));
      }
    };
    const workers = Array.from({ length: this.#options.concurrency }, () =>
      work().catch((error: unknown) => {
        failed.push(error);
      }),
    );
    await Promise.race([Promise.all(workers), rejectionBy(this.#hub.signal)]);
    if (said.length > 0) await send(said);
    if (failed.length > 0) throw failed[0];
  }

  /** @throws NotPossible, ProgramGone for a judge that judges no other reply either */
  async #ask({ id, judge, votes, messages = [], command, input }: Judgement): Promise<Said> {
    const program = command === undefined ? null : this.programOf(judge, command);
    const replies: string[] = [];
    try {
      while (replies.length < votes) {
        const reply =
          program === null
            ? await this.#askModel(messages)
            : await program.print(JSON.stringify(input), this.#seconds);
        const said = cleanText(reply).trim();
        const most = Math.floor((program === null ? replyCharacters : printedCharacters) / votes);
        if (program !== null && said.length > most)
          throw new ProgramFault(`The judge printed ${said.length} characters. Print at most ${most}.`);
        replies.push(storable(said.slice(-most)));
      }
      return { id, replies };
    } catch (error) {
      if (!(error instanceof ProgramFault) || error instanceof ProgramGone) throw error;
      const reason = cleanText(error.message).replaceAll(/\s+/g, ' ').slice(0, reasonCharacters);
      return { id, error: storable(reason) };
    }
  }

  close(): void {
    for (const program of this.#programs.values()) program.close();
  }
}
