/** Prints why a command failed and returns its exit code. */
import { CommanderError } from 'commander';
import { ChallengeError } from '#client/challenge.ts';
import { adviceIn, HubError } from '#client/hub-error.ts';
import { failedStartExitCode, StartError } from '#runtime/process/start-error.ts';
import { DatabaseUnavailableError } from '#db/errors.ts';
import { nameRoute } from '#api/openapi/operation-ids.ts';
import { DomainError } from '#domain/errors.ts';
import { type NameOperation, nameOperations, type OperationName } from '#domain/operation.ts';
import { HubRefusal } from '../client/hub-refusal.ts';
import { WrongCommandLine } from './arguments.ts';

const usageExitCode = 2;

const commands: Readonly<Partial<Record<OperationName, string>>> = {
  getHub: 'hub maintainers list',
  getInbox: 'hub inbox list',
  listAgents: 'hub agents list',
  listEvents: 'hub events list',
  listReports: 'hub reports list --status all',
  listSupporters: 'hub supporters list',
  listTokenRequests: 'hub tokens requests --status all',
  listVerifications: 'hub verification list --status all',
  logIn: 'hub login',
  register: 'hub register',
};

/** Hints name the command for an operation; the route where there is none. */
const nameCommand: NameOperation = (name, parameters) =>
  commands[name as OperationName] ?? nameRoute(name, parameters);

/** Prints one message for errors that the user can fix. Anything else is a bug and is printed in full. */
export function explainFailure(error: unknown): number {
  // Commander prints its own messages. It also throws for `--help`, with code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
  if (error instanceof StartError) {
    console.error(error.message);
    return error.exitCode;
  }
  if (error instanceof WrongCommandLine) {
    console.error(`error: ${error.message}`);
    return usageExitCode;
  }
  if (error instanceof DomainError && error.code !== 'internal_error') {
    console.error(
      [`${error.code}: ${error.message}`, nameOperations(error.extras.hint ?? '', nameCommand)]
        .join(' ')
        .trim(),
    );
    return failedStartExitCode;
  }
  if (error instanceof HubError) {
    console.error(`${error.code}: ${adviceIn(error, 'Get another with `hub login`.')}`);
    return failedStartExitCode;
  }
  const isExplained =
    error instanceof HubRefusal ||
    error instanceof ChallengeError ||
    error instanceof DatabaseUnavailableError;
  if (isExplained || isFileFault(error)) {
    console.error(error.message);
    return failedStartExitCode;
  }
  throw error;
}

function isFileFault(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
