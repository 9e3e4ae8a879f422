/** Licences with conditions are accepted by a person, before the first byte of a model comes. */

import { AppError, isOpenLicence } from '../protocol/index.ts';
import { licenceParam } from '../protocol/licenceParam.ts';

export interface LicenceChoice {
	/** `false`: whoever asks has not accepted a licence yet, and wants to hear of one with conditions first. */
	readonly acceptLicense?: boolean;
}

/**
 * @param license absent: none is named
 * @param page where it can be read
 * @throws AppError `forbidden` that names the licence and its page, where one has to be accepted that is not
 */
export function checkLicence(
	{ acceptLicense }: LicenceChoice,
	license: string | undefined,
	{ model, page }: { readonly model: string; readonly page: string },
): void {
	if (acceptLicense !== false || (license !== undefined && isOpenLicence(license))) return;
	const what =
		license === undefined
			? `The page of ${model} names no licence`
			: `${model} comes under the licence '${license}', which has conditions`;
	throw new AppError(
		'forbidden',
		`${what}: it is between you and the publisher of the model. Read ${page}, and accept it to download the model.`,
		{ param: licenceParam },
	);
}
