import { fullName } from '../../ui/full-name.ts';
import { texts } from './texts.ts';

const words = texts.provider;

interface Props {
  providers: readonly { userId: number; firstName: string; lastName: string }[];
  /** 0 = any provider. */
  onPick: (doctorId: number) => void;
}

/** Any provider, or one of them. */
export function ProviderStep({ providers, onPick }: Props) {
  if (providers.length === 0) return <p className="rs-text">{words.noProvider}</p>;
  return (
    <ul className="bk-providers">
      {providers.length > 1 && (
        <li>
          <button type="button" className="bk-provider" onClick={() => onPick(0)}>
            <strong>{words.anyone}</strong>
            <span>{words.anyoneNote}</span>
          </button>
        </li>
      )}
      {providers.map((provider) => (
        <li key={provider.userId}>
          <button type="button" className="bk-provider" onClick={() => onPick(provider.userId)}>
            <strong>{fullName(provider)}</strong>
          </button>
        </li>
      ))}
    </ul>
  );
}
