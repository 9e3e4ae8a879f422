/**
 * Words that short texts are made of (greetings, buttons, little words). A statistical model needs
 * a sentence; one of these is as good.
 */

const lists: Readonly<Record<string, string>> = {
	en: 'hello hi world yes cancel save open close file settings the and is not please thanks good morning name delete edit search help new next back the of with for what this that are you error',
	de: 'hallo welt ja nein abbrechen speichern öffnen schließen datei einstellungen und ist nicht bitte danke guten tag morgen löschen bearbeiten suchen hilfe neu weiter zurück der die das mit für fehler',
	fr: 'bonjour monde oui annuler enregistrer ouvrir fermer fichier paramètres et est pas merci salut supprimer modifier rechercher aide nouveau suivant précédent le les des avec pour erreur',
	es: 'hola mundo sí cancelar guardar abrir cerrar archivo ajustes gracias buenos días favor eliminar editar buscar ayuda nuevo siguiente atrás el los las con para está error',
	it: 'ciao mondo annulla salva apri chiudi impostazioni grazie buongiorno elimina modifica cerca aiuto nuovo avanti indietro il gli con per sono errore',
	pt: 'olá mundo cancelar salvar guardar fechar arquivo ficheiro configurações obrigado obrigada bom dia não excluir editar pesquisar ajuda novo próximo voltar os com para está erro',
	nl: 'hallo wereld annuleren opslaan openen sluiten bestand instellingen bedankt goedemorgen verwijderen bewerken zoeken hulp nieuw volgende terug het een met voor niet fout',
	id: 'selamat pagi siang malam apa kabar terima kasih batal simpan buka tutup berkas pengaturan hapus cari bantuan baru dan tidak yang untuk',
	sv: 'hej världen avbryt spara öppna stäng inställningar tack ta bort sök hjälp ny nästa tillbaka och är inte för fel',
	da: 'hej verden annuller gem åbn luk indstillinger tak slet søg hjælp ny næste tilbage og er ikke fejl',
	nb: 'hei verden avbryt lagre åpne lukk innstillinger takk slett søk hjelp ny neste tilbake og er ikke feil',
	fi: 'hei maailma peruuta tallenna avaa sulje asetukset kiitos poista etsi ohje uusi seuraava ja ei virhe',
	pl: 'cześć świat anuluj zapisz otwórz zamknij ustawienia dziękuję usuń szukaj pomoc nowy dalej wstecz jest nie błąd',
	cs: 'ahoj svět zrušit uložit otevřít zavřít nastavení děkuji smazat hledat nápověda nový další zpět je chyba',
	tr: 'merhaba dünya iptal kaydet aç kapat ayarlar teşekkürler sil ara yardım yeni ileri geri ve değil hata',
	vi: 'xin chào thế giới hủy lưu mở đóng cảm ơn xóa tìm trợ giúp mới không và lỗi',
	ru: 'привет мир да нет отмена сохранить открыть закрыть файл настройки спасибо удалить поиск помощь новый и не ошибка',
	uk: 'привіт світ так ні скасувати зберегти відкрити закрити дякую видалити пошук допомога новий і не помилка',
	hi: 'नमस्ते दुनिया धन्यवाद हाँ नहीं और है खोलें सहेजें',
};

const byWord = new Map<string, string[]>();
for (const [language, list] of Object.entries(lists))
	for (const word of new Set(list.split(' ')))
		byWord.set(word, [...(byWord.get(word) ?? []), language]);

/**
 * Share of a text's words that are common in each language, for texts of at most `limit` words.
 * Words that several languages share count for each of them in part.
 */
export function commonWordShares(text: string, limit = 5): ReadonlyMap<string, number> {
	const words = text
		.toLowerCase()
		.split(/[^\p{L}\p{M}]+/u)
		.filter(Boolean);
	const shares = new Map<string, number>();
	if (words.length === 0 || words.length > limit) return shares;
	for (const word of words) {
		const languages = byWord.get(word) ?? [];
		for (const language of languages)
			shares.set(language, (shares.get(language) ?? 0) + 1 / languages.length / words.length);
	}
	return shares;
}
