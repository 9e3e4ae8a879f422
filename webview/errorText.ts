/** What went wrong, as a sentence in the language of the page. */

import { t } from '@vscode/l10n';
import {
	AppError,
	type Localise,
	localisedError,
	localisedMessage,
	type ServerRefusal,
} from '../server/protocol/index.ts';

const localise: Localise = (english, ...values) => t(english, ...values);

export function errorText(error: unknown): string {
	if (error instanceof AppError) return inPageLanguage(error).message;
	return error instanceof Error ? error.message : String(error);
}

/** An error of the server with its message in the language of the page. */
export const inPageLanguage = (error: AppError): AppError => localisedError(error, localise);

/** What an answer says went wrong, where it is no error of the answer itself. */
export const refusalText = (refusal: ServerRefusal): string => localisedMessage(refusal, localise);
