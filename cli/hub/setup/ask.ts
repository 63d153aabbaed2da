/** Collects the answers of `hub setup`, from flags, from a person at the terminal, or from the proposals. */
import { DomainError } from '#domain/errors.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { HubRefusal } from '../../client/hub-refusal.ts';
import { openTerminal, WrongCommandLine } from '../arguments.ts';
import { type Answers, type Question, questions } from './questions.ts';

/** A person who needs more attempts for one question has to look something up first. */
const attemptsMax = 20;

const refusal = 'Nothing was set up.';

export interface Asking {
  /** Answers given on the command line. */
  readonly given: Answers;
  /** Whether to take the proposals instead of asking. */
  readonly yes: boolean;
  /** Called when the folder is known, before anything else is asked. */
  readonly onFolder: (dataDir: string) => void;
}

/** @throws WrongCommandLine for a wrong flag, or without a terminal and without `--yes` */
export async function askAll({ given, yes, onFolder }: Asking): Promise<Answers> {
  const terminal = yes ? null : openTerminal(refusal);
  if (terminal === null && !yes) {
    throw new WrongCommandLine(
      'There is no terminal to ask on. Add --yes to use the proposed value for whatever is not given.',
    );
  }
  let answers: Answers = {};
  try {
    for (const question of questions) {
      if (!question.isAsked(answers)) continue;
      const flag = given[question.name];
      const answer =
        flag !== undefined
          ? await checkFlag(question, flag, answers)
          : terminal === null
            ? await checkFlag(question, question.proposal(answers), answers)
            : await askUntilRight(question, answers, terminal.ask);
      answers = { ...answers, [question.name]: answer };
      if (question.name === 'data') onFolder(answer);
    }
    return answers;
  } finally {
    terminal?.close();
  }
}

async function checkFlag(question: Question, answer: string, answers: Answers): Promise<string> {
  try {
    return await question.check(answer, answers);
  } catch (error) {
    throw new WrongCommandLine(inWordsOfFlag(question, messageOf(error)));
  }
}

/** Whoever gives a flag does not know the setting that it becomes. */
function inWordsOfFlag({ name, setting }: Question, message: string): string {
  const flag = `--${name}`;
  const said =
    setting === undefined ? message : message.replaceAll(new RegExp(`\\b${setting}\\b`, 'g'), flag);
  return said.startsWith(`${flag} `) ? said : `${flag}: ${said}`;
}

async function askUntilRight(
  question: Question,
  answers: Answers,
  ask: (text: string) => Promise<string>,
): Promise<string> {
  const proposal = question.proposal(answers);
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const said = (await ask(`${question.about} [${proposal}]: `)).trim();
    try {
      return await question.check(said === '' ? proposal : said, answers);
    } catch (error) {
      process.stderr.write(`  ${messageOf(error)}\n`);
    }
  }
  throw new HubRefusal(refusal);
}

/** Only what the operator can correct. */
function messageOf(error: unknown): string {
  if (error instanceof StartError || error instanceof DomainError) {
    // The headline of wrong settings counts them.
    return error.message.replace(/^1 setting is wrong:\n +/, '');
  }
  throw error;
}
