import { type ComponentProps, type ReactNode, useId } from 'react';

interface Props extends Omit<ComponentProps<'input'>, 'className' | 'value' | 'onChange'> {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  hint?: string | undefined;
  /** Shows 'n/maxLength'. */
  counter?: boolean;
  /** A button at the end of the field; the page's style sheet reserves its room. */
  end?: ReactNode;
}

/** A labeled input with a line below for its error or hint, and a counter. */
export function TextField({ label, value, onChange, error, hint, counter, end, id, maxLength, ...rest }: Props) {
  const own = useId();
  const inputId = id ?? own;
  const footId = `${inputId}-foot`;
  const input = (
    <input
      {...rest}
      id={inputId}
      className="rs-input"
      value={value}
      maxLength={maxLength}
      onChange={(event) => onChange(event.target.value)}
      aria-invalid={error ? true : undefined}
      aria-describedby={error || hint || counter ? footId : undefined}
    />
  );
  return (
    <div className="rs-field">
      <label htmlFor={inputId}>{label}</label>
      {end ? (
        <div className="rs-field-line">
          {input}
          {end}
        </div>
      ) : (
        input
      )}
      <div className="rs-field-foot" id={footId}>
        {error ? <span className="rs-field-error">{error}</span> : hint ? <span>{hint}</span> : null}
        {counter && (
          <span className="rs-counter">
            {value.length}/{maxLength}
          </span>
        )}
      </div>
    </div>
  );
}
