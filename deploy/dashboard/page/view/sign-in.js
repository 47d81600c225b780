(function (odograph) {
    'use strict';

    const { say, byID } = odograph.dom;

    /**
     * Asks who is looking. The password is kept in memory only, as long as the page is open.
     * @param {string} words why it is asked
     * @param {(user: string, password: string) => void} onAnswer
     */
    function askForUser(words, onAnswer) {
        const dialog = byID('sign-in');
        say(byID('sign-in-words'), words);
        if (dialog.open) return;
        dialog.addEventListener('close', () => onAnswer(byID('user').value, byID('password').value), { once: true });
        dialog.showModal();
    }

    odograph.askForUser = askForUser;
})(globalThis.odograph ??= {});
