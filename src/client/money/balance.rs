//! The account's balance (section 4.6).

use rust_decimal::Decimal;

use crate::client::Client;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::fetch::HttpRequest;
use crate::wire::Balance;

impl Client {
    /// The remaining balance in USD, digit by digit as the service wrote it.
    pub async fn balance(&self) -> Result<Decimal, Error> {
        let call = Call::new(None);
        let balance = self.ask_balance(&call).await.map_err(|error| self.doubting_address(error));
        call.finish(self.key(), balance)
    }

    pub(in crate::client) async fn ask_balance(&self, call: &Call) -> Result<Decimal, Error> {
        let request = HttpRequest::get(self.0.paths.balance(), "the balance");
        let balance = self.fetch_json::<Balance>(call, &request).await?.usd_remaining.0;
        self.remember_balance(balance).await;
        Ok(balance)
    }
}
