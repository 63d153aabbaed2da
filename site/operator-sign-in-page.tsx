/** The page of a link that signs a browser of the operator in. Opening it changes nothing; its button signs in. */
import { renderPage } from './render-page.tsx';
import type { View } from './view.ts';

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
