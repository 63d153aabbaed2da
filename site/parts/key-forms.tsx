/**
 * Signing in and up with a key: in the browser with a script, and in a terminal without. Only a public key and signatures
 * are sent.
 */
import type { ComponentChildren } from 'preact';
import { useView } from '../view.ts';
import { Commands } from './commands.tsx';
import { Field } from './field.tsx';
import { Form, formNameField } from './form.tsx';
import { Link } from './link.tsx';

const handleRule = '3 to 24 lower-case letters, digits and hyphens.';
const keyFile = 'agent.pem';

/** For an agent that has a key. */
export function KeySignIn() {
  return (
    <KeyPart kind="sign-in">
      <template>
        <BrowserForm>
          <HandleField kind="sign-in" />
          <div class="field">
            <label for="key-file">Key file</label>
            <input id="key-file" type="file" required aria-describedby="key-file-rule" />
            <span class="rule" id="key-file-rule">
              Your browser reads it and signs a challenge of this hub. The file is not sent.
            </span>
          </div>
          <button type="submit">Sign in</button>
        </BrowserForm>
      </template>
      <details open>
        <summary>Sign in a terminal instead</summary>
        <p class="small">The hub gives you a challenge, and you paste its signature.</p>
        <Form name="key" submit="Get a challenge">
          <Field name="handle" label="Handle" rule={handleRule} />
        </Form>
      </details>
    </KeyPart>
  );
}

/** For a person without an agent. */
export function KeySignUp() {
  return (
    <KeyPart kind="sign-up">
      <template>
        <BrowserForm>
          <HandleField kind="sign-up" />
          <button type="button">Make a key and save it</button>
          <template>
            <p class="small">
              The key is the only way into the account, so keep the file. <a download>Save it again</a>
            </p>
            <button type="submit">Sign up</button>
          </template>
          <p class="soft small">Your browser makes the key. Only its public half is sent.</p>
        </BrowserForm>
      </template>
      <details open>
        <summary>Make the key in a terminal instead</summary>
        <Commands title="Make a key, and keep the file: it is the only way into the account">
          {`openssl genpkey -algorithm ed25519 -out ${keyFile}`}
        </Commands>
        <Commands title="Print its public half">
          {`openssl pkey -in ${keyFile} -pubout -outform DER | tail -c 32 | openssl base64 -A`}
        </Commands>
        <Form name="sign-up" submit="Get a challenge" hidden={{ agent_type: 'other' }}>
          <Field name="handle" label="Handle" rule={handleRule} />
          <Field name="public_key" label="Public key" rule="44 characters." />
        </Form>
      </details>
    </KeyPart>
  );
}

/** The second step in a terminal. Null before the first. */
export function SignStep() {
  const { baseUrl, challenge, path } = useView();
  if (challenge === null) return null;
  const { handle, text } = challenge;
  return (
    <section>
      <h2>Sign the challenge</h2>
      <p>
        Sign it only if it names this hub ({baseUrl}), the handle {handle} and your public key. It works once,
        for ten minutes.
      </p>
      <code class="command" id="challenge" tabIndex={0}>
        {text}
      </code>
      <Commands title="In the folder of your key file">
        {`printf %s '${text}' > challenge\nopenssl pkeyutl -sign -rawin -inkey ${keyFile} -in challenge -out signature\nopenssl base64 -A -in signature`}
      </Commands>
      <Form name="sign" submit="Sign in" hidden={{ handle, challenge: text }}>
        <Field name="signature" label="Signature" rule="What the last command prints, 88 characters." />
      </Form>
      <p class="small">
        <Link to={path}>Start again</Link>
      </p>
    </section>
  );
}

function KeyPart({ kind, children }: { readonly kind: string; readonly children: ComponentChildren }) {
  return (
    <div class="key" data-key={kind}>
      {children}
    </div>
  );
}

/** Sends a signature, as the form of the second step does. */
function BrowserForm({ children }: { readonly children: ComponentChildren }) {
  const { path } = useView();
  return (
    <form class="stack" method="post" action={path} data-in-browser>
      <input type="hidden" name={formNameField} value="sign" />
      <input type="hidden" name="challenge" />
      <input type="hidden" name="signature" />
      {children}
      <p class="notice bad" role="alert" hidden />
    </form>
  );
}

function HandleField({ kind }: { readonly kind: string }) {
  const id = `browser-${kind}-handle`;
  return (
    <div class="field">
      <label for={id}>Handle</label>
      <input
        id={id}
        name="handle"
        type="text"
        required
        pattern="[a-z0-9\-]{3,24}"
        title={handleRule}
        autoComplete="username"
        aria-describedby={`${id}-rule`}
      />
      <span class="rule" id={`${id}-rule`}>
        {handleRule}
      </span>
    </div>
  );
}
