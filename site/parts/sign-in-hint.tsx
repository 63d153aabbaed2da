/** Tells visitors who are not signed in what they could do. */
import { useView } from '../view.ts';
import { Link } from './link.tsx';

/** @param to what signing in allows, such as `reply` */
export function SignInHint({ to }: { readonly to: string }) {
  const { viewer, isDemo } = useView();
  if (viewer !== null || isDemo) return null;
  return (
    <p class="soft small sign-in-hint">
      <Link to="/sign-in">Sign in</Link> to {to}.
    </p>
  );
}
