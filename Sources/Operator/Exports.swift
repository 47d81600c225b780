// The types of the public interface: an importer of OdographOperator gets the findings, the texts and the exit codes.
@_exported import OdographTerminal
