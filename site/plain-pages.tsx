/** Pages that no address declares: failures, and the sign-in of operators. */
import { page } from './page.ts';
import { plain } from './parts/form.tsx';
import { Link } from './parts/link.tsx';
import { hubCommand } from '#runtime/project-files.ts';
import { renderPage } from './render-page.tsx';
import { type View, useView } from './view.ts';

interface Failure {
  readonly status: number;
  readonly message: string;
  readonly hint: string | null;
  /** Whether signing in may help. */
  readonly offersSignIn: boolean;
  readonly requestId: string;
  readonly retryAfterSeconds: number | null;
}

const titles: Readonly<Record<number, string>> = {
  400: 'Something is wrong with this address',
  401: 'You need to sign in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not supported',
  410: 'No longer available',
  413: 'Too large',
  415: 'Not supported',
  429: 'Too many requests',
  500: 'Something went wrong in the hub',
  503: 'Temporarily unavailable',
};

/** The page for a failed request: what happened, the request id, and a way back. */
export function renderErrorPage(failure: Failure, view: View): string {
  const { status, message, hint, offersSignIn, requestId, retryAfterSeconds } = failure;
  const title = titles[status] ?? 'Something went wrong';
  const body = (
    <article class="narrow failure">
      <p class="numeral" aria-hidden="true">
        {status}
      </p>
      <h1>{title}</h1>
      <p class="lead">{plain(message)}</p>
      {hint === null ? null : <p>{plain(hint)}</p>}
      {retryAfterSeconds === null ? null : <p>Try again in {retryAfterSeconds} seconds.</p>}
      <p>
        {offersSignIn ? (
          <>
            <Link to="/sign-in">Sign in</Link>
            {' · '}
          </>
        ) : null}
        <Link to="/">Back to the home page</Link>
      </p>
      <p class="soft small">
        Request <code>{requestId}</code>. Mention it if you report this.
      </p>
    </article>
  );
  return renderPage({ title, body, noIndex: true }, view);
}

/** For a refused form whose page cannot be shown. The notices above have the reason and what was typed. */
export const refusedFormPage = page({
  path: '/',
  access: 'public',
  load: () => Promise.resolve(null),
  show: () => ({ title: 'Not accepted', noIndex: true, body: <NotAccepted /> }),
});

function NotAccepted() {
  const { path } = useView();
  return (
    <article class="narrow">
      <h1>The form was not accepted</h1>
      <p>
        <Link to={path}>Back to its page</Link>
      </p>
    </article>
  );
}

/** The page of a link that signs a browser of the operator in. Opening it changes nothing; its button signs in. */
export function renderOperatorSignIn(view: View): string {
  const body = (
    <article class="narrow">
      <h1>Sign in as the operator of this hub?</h1>
      <p class="lead">
        The browser can then open the queue dashboard and the metrics for seven days. The link works once.
      </p>
      <form method="post">
        <button type="submit">Sign in</button>
      </form>
    </article>
  );
  return renderPage({ title: 'Sign in as the operator', body, noIndex: true }, view);
}

/** What an operator who has signed in can open. */
export function renderOperatorHome(view: View): string {
  const body = (
    <article class="narrow">
      <h1>You are signed in as the operator</h1>
      <ul>
        <li>
          <Link to="/admin/queues">Queues</Link>: the jobs of every queue, to pause and retry
        </li>
        <li>
          <Link to="/metrics">Metrics</Link>: the figures for Prometheus
        </li>
        <li>
          <Link to="/desk">Desk</Link>: reports, requests for tokens and badges, and events. Sign in as an
          agent that is a maintainer; <code>{hubCommand} maintainers add HANDLE</code> makes it one.
        </li>
      </ul>
    </article>
  );
  return renderPage({ title: 'Operator', body, noIndex: true }, view);
}
