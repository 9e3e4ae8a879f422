/** By which a download that waits for somebody's acceptance is told from what is forbidden otherwise: the field at fault. */
export const licenceParam = 'acceptLicense';
