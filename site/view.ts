/** What every part of a page may read: the hub, the URL of the page and who is signed in. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Viewer } from './page.ts';

export interface View {
  readonly hubName: string;
  readonly hubDescription: string;
  /** Absolute, without a trailing slash. */
  readonly baseUrl: string;
  /** The path of this page, percent-encoded, without the query. */
  readonly path: string;
  /** The parsed query of this page. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly viewer: Viewer | null;
  /** True on a hub that shows sample data and accepts no writes. */
  readonly isDemo: boolean;
  /** The challenge that the visitor signs next, to sign in with a key. */
  readonly challenge: ShownChallenge | null;
  /** The rejected form, with the visitor's input. */
  readonly refused: RefusedForm | null;
  /** The form whose result this page shows, with the visitor's input. */
  readonly answered: AnsweredForm | null;
  /** The message of a form that succeeded. */
  readonly done: string | null;
}

export interface ShownChallenge {
  readonly handle: string;
  /** One line without quotes, because commands contain it. */
  readonly text: string;
}

export interface RefusedForm {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  readonly message: string;
  readonly hint: string | null;
  /** What the API adds to its error, such as `faults`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface AnsweredForm {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  /** The body of the API's response. */
  readonly body: unknown;
}

export const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (view === null) throw new Error('A part of a page is rendered without its page.');
  return view;
}
