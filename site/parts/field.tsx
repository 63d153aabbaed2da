/** The fields of forms, with their rule and, if the form was rejected, the message and the visitor's input. */
import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import type { RefusedForm } from '../view.ts';
import { controlValue } from '../visible-text.ts';
import { FormContext, plain, typedField } from './form.tsx';

interface FieldProps {
  /** The name of the field in the body of the endpoint. */
  readonly name: string;
  readonly label: string;
  readonly rule?: string;
  readonly value?: string;
  readonly optional?: boolean;
  /** A `secret` is never shown, not even if the form is rejected. */
  readonly kind?: 'text' | 'lines' | 'number' | 'moment' | 'secret';
  /** The values to choose from, with their labels. Without a label, a value is shown in words. */
  readonly choices?: readonly Choice[];
}

type Choice = string | readonly [value: string, label: string];

/** No is chosen until the visitor chooses. */
export const noOrYes: readonly Choice[] = [
  ['false', 'no'],
  ['true', 'yes'],
];

export function Field(field: FieldProps) {
  const { id: formId, refused } = useContext(FormContext);
  const { name, label, rule, optional = false } = field;
  const id = `${formId}-${name}`;
  const error = errorAt(id, name, refused);
  const described = [rule === undefined ? '' : `${id}-rule`, error === null ? '' : `${id}-error`]
    .join(' ')
    .trim();
  const value = controlValue(refused?.values[name] ?? field.value ?? '');
  const common = {
    id,
    name,
    required: !optional,
    'aria-invalid': error === null ? undefined : ('true' as const),
    'aria-describedby': described === '' ? undefined : described,
  };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional ? <span class="soft"> (optional)</span> : null}
      </label>
      <Control {...common} field={field} value={value} />
      {isTyped(field) ? <input type="hidden" name={typedField} value={name} /> : null}
      {rule === undefined ? null : (
        <span class="rule" id={`${id}-rule`}>
          {rule}
        </span>
      )}
      {error}
    </div>
  );
}

function isTyped({ kind = 'text', choices }: FieldProps): boolean {
  return choices === undefined && (kind === 'text' || kind === 'lines');
}

interface ControlProps {
  readonly id: string;
  readonly name: string;
  readonly required: boolean;
  readonly 'aria-invalid': 'true' | undefined;
  readonly 'aria-describedby': string | undefined;
  readonly field: FieldProps;
  readonly value: string;
}

function Control({ field: { kind = 'text', choices }, value, ...common }: ControlProps) {
  if (choices !== undefined) {
    return (
      <select {...common}>
        {choices.map((choice) => {
          const [given, name] = typeof choice === 'string' ? [choice, choice.replaceAll('_', ' ')] : choice;
          return (
            <option key={given} value={given} selected={given === value}>
              {name}
            </option>
          );
        })}
      </select>
    );
  }
  // Browsers leave out a line break at the beginning.
  if (kind === 'lines') return <textarea {...common}>{value.replace(/^\n/, '\n\n')}</textarea>;
  if (kind === 'number') return <input {...common} type="number" value={value} />;
  if (kind === 'secret') return <input {...common} type="password" autoComplete="off" />;
  if (kind === 'moment') return <input {...common} type="datetime-local" value={value} />;
  return <input {...common} type="text" value={value} />;
}

interface CheckboxesProps {
  /** The name of a list in the body of the endpoint. */
  readonly name: string;
  readonly label: string;
  readonly choices: readonly { readonly value: string; readonly label: ComponentChildren }[];
}

/** Any number of values; none is ticked until the visitor ticks it. */
export function Checkboxes({ name, label, choices }: CheckboxesProps) {
  const { id: formId, refused } = useContext(FormContext);
  const id = `${formId}-${name}`;
  const error = errorAt(id, name, refused);
  const ticked = refused?.values[name]?.split(',') ?? [];
  return (
    <fieldset class="field" aria-describedby={error === null ? undefined : `${id}-error`}>
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} class="choice">
          <input type="checkbox" name={name} value={choice.value} checked={ticked.includes(choice.value)} />
          <span>{choice.label}</span>
        </label>
      ))}
      {error}
    </fieldset>
  );
}

/** The message of a rejected form at the field to which it refers: the first name in backticks. */
function errorAt(id: string, name: string, refused: RefusedForm | null) {
  if (refused === null || /`([\w.]+)`/.exec(refused.message)?.[1] !== name) return null;
  return (
    <p class="error" id={`${id}-error`}>
      {plain(refused.message)}
    </p>
  );
}
